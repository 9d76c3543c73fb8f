// The library needs this to be loaded first.
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const ISSUER = 'CN=postgres-control-emulator';
const VALID_MS = 10 * 365 * 24 * 3600 * 1000;
/** A clock that is set back, or differs in a container, does not make a new certificate invalid. */
const VALID_BEFORE_MS = 24 * 3600 * 1000;
/** The hosts of endpoints, and this machine. */
const NAMES: x509.JsonGeneralNames = [
  { type: 'dns', value: '*.postgres.localhost' },
  { type: 'dns', value: 'localhost' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
];

interface Issuer {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

/** The gateway's certificate. */
export interface Certificate {
  /** In PEM. */
  readonly key: string;
  readonly cert: string;
  /** The certificate of the authority, which a client that verifies needs. */
  readonly authorityFile: string;
}

/**
 * Issued by the certificate authority in this folder, `ca.pem` and `ca-key.pem`, which is created if need be, valid for ten years.
 * @throws Error when the files cannot be used
 */
export async function openCertificate(folder: string): Promise<Certificate> {
  const authorityFile = join(folder, 'ca.pem');
  const keyFile = join(folder, 'ca-key.pem');
  // The certificate is written last, so where it exists, the key is complete.
  const authority = existsSync(authorityFile)
    ? await readAuthority(authorityFile, keyFile)
    : await createAuthority(authorityFile, keyFile);
  return { ...(await issueCertificate(authority)), authorityFile };
}

async function readAuthority(certificateFile: string, keyFile: string): Promise<Issuer> {
  try {
    const certificate = new x509.X509Certificate(await readFile(certificateFile, 'utf8'));
    const der = x509.PemConverter.decodeFirst(await readFile(keyFile, 'utf8'));
    const key = await webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, true, ['sign']);
    return { certificate, key };
  } catch (cause) {
    const message = `${certificateFile} and ${keyFile} are not a certificate authority: delete both, and the emulator creates new ones`;
    throw new Error(message, { cause });
  }
}

async function createAuthority(certificateFile: string, keyFile: string): Promise<Issuer> {
  const keys = await createKeys();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    ...validity(),
    name: ISSUER,
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  await writeFile(keyFile, toPem(keys.privateKey), { mode: 0o600 });
  await writeFile(certificateFile, `${certificate.toString('pem')}\n`);
  return { certificate, key: keys.privateKey };
}

async function issueCertificate({ certificate, key }: Issuer) {
  const keys = await createKeys();
  const issued = await x509.X509CertificateGenerator.create({
    ...validity(),
    subject: 'CN=*.postgres.localhost',
    issuer: certificate.subject,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(NAMES),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(certificate),
    ],
  });
  return { key: toPem(keys.privateKey), cert: issued.toString('pem') };
}

const createKeys = () => webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const toPem = (key: webcrypto.CryptoKey) =>
  KeyObject.from(key).export({ type: 'pkcs8', format: 'pem' }).toString();

function validity() {
  const now = Date.now();
  return { notBefore: new Date(now - VALID_BEFORE_MS), notAfter: new Date(now + VALID_MS) };
}
