// The library needs this to be loaded first.
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext, type SecureContext } from 'node:tls';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const ISSUER = 'CN=postgres-control-emulator';
const VALID_MS = 10 * 365 * 24 * 3600 * 1000;
/** A clock that is set back, or differs in a container, does not make a new certificate invalid. */
const VALID_BEFORE_MS = 24 * 3600 * 1000;
const HOST = /^[a-z0-9-]+\.([a-z0-9-]{1,40}\.postgres\.localhost)$/;
const THIS_MACHINE: x509.JsonGeneralNames = [
  { type: 'dns', value: 'localhost' },
  { type: 'dns', value: '*.postgres.localhost' },
  { type: 'ip', value: '127.0.0.1' },
  { type: 'ip', value: '::1' },
];

interface Issuer {
  readonly certificate: x509.X509Certificate;
  readonly key: webcrypto.CryptoKey;
}

/** The gateway's certificates: one for each region with endpoints, one for any other client. */
export interface Certificates {
  /** For localhost and the loopback addresses, in PEM. */
  readonly standard: { readonly key: string; readonly cert: string };
  /** The certificate of the authority, which a client that verifies needs. */
  readonly authorityFile: string;
  /** For the hosts of a region; undefined when it is not a host of the emulator. */
  contextOf(serverName: string): Promise<SecureContext | undefined>;
}

/**
 * Uses the certificate authority in this folder, `ca.pem` and `ca-key.pem`, or creates it, valid for ten years.
 * @param hasHosts whether endpoints have hosts in a domain. A certificate takes time, so clients get none for others
 * @throws Error when the files cannot be used
 */
export async function openCertificates(
  folder: string,
  hasHosts: (domain: string) => boolean,
): Promise<Certificates> {
  const authorityFile = join(folder, 'ca.pem');
  const keyFile = join(folder, 'ca-key.pem');
  // The certificate is written last, so where it exists, the key is complete.
  const authority = existsSync(authorityFile)
    ? await readAuthority(authorityFile, keyFile)
    : await createAuthority(authorityFile, keyFile);
  const keys = await createKeys();
  const issue = (names: x509.JsonGeneralNames) => issueCertificate(authority, keys, names);
  const regions = new Map<string, Promise<SecureContext>>();
  return {
    standard: await issue(THIS_MACHINE),
    authorityFile,
    contextOf: async (serverName) => {
      const [, region] = HOST.exec(serverName.toLowerCase()) ?? [];
      if (region === undefined || !hasHosts(region)) return undefined;
      const context =
        regions.get(region) ?? issue([{ type: 'dns', value: `*.${region}` }]).then(createSecureContext);
      regions.set(region, context);
      return context;
    },
  };
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

async function issueCertificate(
  { certificate, key }: Issuer,
  keys: webcrypto.CryptoKeyPair,
  names: x509.JsonGeneralNames,
) {
  const issued = await x509.X509CertificateGenerator.create({
    ...validity(),
    subject: `CN=${names[0]?.value}`,
    issuer: certificate.subject,
    signingAlgorithm: ALGORITHM,
    publicKey: keys.publicKey,
    signingKey: key,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(names),
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
