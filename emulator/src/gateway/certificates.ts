// The library needs this to be loaded first.
import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import * as x509 from '@peculiar/x509';

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
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

export type Certificate = Awaited<ReturnType<typeof openCertificate>>;

/**
 * The certificate in this folder, in PEM, which is created if need be, valid for ten years. It can issue no others. It is
 * its own issuer, so a client that verifies needs only its file.
 * @throws Error when the files cannot be used
 */
export async function openCertificate(folder: string) {
  const certificateFile = join(folder, 'certificate.pem');
  const keyFile = join(folder, 'key.pem');
  if (!existsSync(certificateFile)) await createCertificate(certificateFile, keyFile);
  const cert = await readFile(certificateFile, 'utf8');
  const key = await readFile(keyFile, 'utf8');
  try {
    createSecureContext({ cert, key });
  } catch (cause) {
    const message = `${certificateFile} and ${keyFile} are not a certificate and its key: delete both, and the emulator creates new ones`;
    throw new Error(message, { cause });
  }
  return { key, cert, certificateFile };
}

async function createCertificate(certificateFile: string, keyFile: string): Promise<void> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const now = Date.now();
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    notBefore: new Date(now - VALID_BEFORE_MS),
    notAfter: new Date(now + VALID_MS),
    name: 'CN=*.postgres.localhost',
    signingAlgorithm: ALGORITHM,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(NAMES),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' });
  await writeFile(keyFile, key, { mode: 0o600 });
  // Written last, so where it exists, the key is complete.
  await writeFile(certificateFile, `${certificate.toString('pem')}\n`);
}
