import { createSign, generateKeyPairSync } from 'node:crypto';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
}

/** A certificate for a name that signs itself, good for a day. Made by hand: nothing that makes one is always there. */
export function certificateFor(name: string): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const subject = sequence(der(0x31, sequence(oid('550403'), der(0x0c, Buffer.from(name)))));
  const now = Date.now();
  const names = sequence(der(0x82, Buffer.from(name)));
  const isAuthority = sequence(der(0x01, Buffer.from([0xff])));
  const content = sequence(
    der(0xa0, integer('02')),
    integer(`01${now.toString(16).padStart(12, '0')}`),
    algorithm,
    subject,
    sequence(time(now - 3_600_000), time(now + 86_400_000)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension('551d11', names), extension('551d13', isAuthority))),
  );
  const signature = createSign('sha256').update(content).sign(privateKey);
  const whole = sequence(content, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

/** One value of ASN.1, in its distinguished encoding (X.690). */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

const sequence = (...parts: Buffer[]): Buffer => der(0x30, ...parts);
const oid = (hex: string): Buffer => der(0x06, Buffer.from(hex, 'hex'));

/** @param hex a positive number whose first bit is not set */
const integer = (hex: string): Buffer => der(0x02, Buffer.from(hex, 'hex'));

const time = (ms: number): Buffer =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));

const extension = (id: string, value: Buffer): Buffer => sequence(oid(id), der(0x04, value));
