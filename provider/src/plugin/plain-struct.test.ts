import { execFileSync } from 'node:child_process';
import { Struct } from 'google-protobuf/google/protobuf/struct_pb';
import { describe, expect, it } from 'vitest';
import { fromStruct, toStruct } from './plain-struct';

/** The library as it is, in a process of its own: encodes JSON as a message in base64, or decodes one. */
const library = `
const { Struct } = require('google-protobuf/google/protobuf/struct_pb');
const [, command, text] = process.argv;
process.stdout.write(command === 'encode'
  ? Buffer.from(Struct.fromJavaScript(JSON.parse(text)).serializeBinary()).toString('base64')
  : JSON.stringify(Struct.deserializeBinary(Buffer.from(text, 'base64')).toJavaScript()));
`;
const convert = (command: 'encode' | 'decode', text: string) =>
  execFileSync(process.execPath, ['-e', library, command, text], { encoding: 'utf8' });

const values = {
  text: 'Größe 🐘',
  empty: '',
  number: 0.25,
  zero: 0,
  negative: -7,
  large: 2 ** 53,
  yes: true,
  no: false,
  nothing: null,
  object: { nested: { 'a.b': 'c' }, none: {} },
  list: [1, 'two', [3, [null]], { four: 4 }, []],
};

describe('a Struct with plain values', () => {
  it('reads what google-protobuf writes', () => {
    const bytes = Buffer.from(convert('encode', JSON.stringify(values)), 'base64');
    expect(fromStruct(Struct.deserializeBinary(bytes))).toEqual(values);
  });

  it('writes what google-protobuf reads', () => {
    const text = Buffer.from(toStruct(values).serializeBinary()).toString('base64');
    expect(JSON.parse(convert('decode', text))).toEqual(values);
  });

  it('leaves out undefined values, at any depth', () => {
    const struct = toStruct({ given: 1, absent: undefined, nested: { absent: undefined } });
    expect(fromStruct(Struct.deserializeBinary(struct.serializeBinary()))).toEqual({ given: 1, nested: {} });
  });

  it('skips fields that it does not know, on every level', () => {
    const further = [0x4a, 1, 0x78]; // Field 9, the text "x".
    const wrap = (field: number, ...bytes: number[]) => [field * 8 + 2, bytes.length, ...bytes];
    const list = wrap(6, ...further, ...wrap(1, ...further, 0x20, 1), ...further); // One item: true.
    const entry = [...further, ...wrap(1, 0x61), ...wrap(2, ...list, ...further), ...further];
    const bytes = Uint8Array.from([...further, ...wrap(1, ...entry), ...further]);
    expect(fromStruct(Struct.deserializeBinary(bytes))).toEqual({ a: [true] });
  });

  it('reads an absent or empty Struct as no properties', () => {
    expect(fromStruct(undefined)).toEqual({});
    expect(fromStruct(Struct.deserializeBinary(new Uint8Array()))).toEqual({});
  });
});
