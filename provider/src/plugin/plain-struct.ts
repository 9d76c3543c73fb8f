// Replaces how google-protobuf reads and writes a Struct, so that its properties are a plain object. The library makes an object
// per property and converts it, which took a fifth of a refresh. The wire format is that of struct.proto. `getFieldsMap` and
// `toObject` of a Struct are always empty.
import type { BinaryReader, BinaryWriter, Message } from 'google-protobuf';
import { type JavaScriptValue, Struct, Value } from 'google-protobuf/google/protobuf/struct_pb';

type Fields = Readonly<Record<string, unknown>>;

const kinds = Value.KindCase;

const fieldsOf = new WeakMap<Struct, Fields>();

export function toStruct(values: Fields): Struct {
  const struct = new Struct();
  fieldsOf.set(struct, values);
  return struct;
}

export function fromStruct(struct: Struct | undefined): Fields {
  return (struct && fieldsOf.get(struct)) ?? {};
}

// Other users of the library in this process call these.
Struct.fromJavaScript = toStruct;
Struct.prototype.toJavaScript = function () {
  return fromStruct(this) as Record<string, JavaScriptValue>; // What the wire can carry.
};

Struct.deserializeBinaryFromReader = (struct, reader) => {
  fieldsOf.set(struct, readFields(reader));
  return struct;
};

Struct.serializeBinaryToWriter = (struct, writer) => writeFields(fromStruct(struct), writer);

/** The library takes a message and passes it to the callback. Those here need none. */
const noMessage = {} as Message;

function readFields(reader: BinaryReader): Fields {
  const fields: Record<string, unknown> = {};
  readEach(reader, () => {
    let name = '';
    let value: unknown = null;
    while (reader.nextField()) {
      const field = reader.getFieldNumber();
      // An entry of a map: 1 is the key, 2 the value.
      if (field === 1) name = reader.readString();
      else if (field === 2) value = readNested(reader, readValue);
      else reader.skipField();
    }
    fields[name] = value;
  });
  return fields;
}

function readValue(reader: BinaryReader): unknown {
  let value: unknown = null;
  while (reader.nextField()) {
    const kind = reader.getFieldNumber();
    if (kind === kinds.NUMBER_VALUE) value = reader.readDouble();
    else if (kind === kinds.STRING_VALUE) value = reader.readString();
    else if (kind === kinds.BOOL_VALUE) value = reader.readBool();
    else if (kind === kinds.STRUCT_VALUE) value = readNested(reader, readFields);
    else if (kind === kinds.LIST_VALUE) value = readNested(reader, readList);
    else reader.skipField();
  }
  return value;
}

function readList(reader: BinaryReader): unknown[] {
  const items: unknown[] = [];
  readEach(reader, () => items.push(readValue(reader)));
  return items;
}

/** Reads every entry of a Struct, or item of a list: both are field 1. A later protocol may have further fields. */
function readEach(reader: BinaryReader, read: () => void): void {
  while (reader.nextField()) {
    if (reader.getFieldNumber() === 1) reader.readMessage(noMessage, read);
    else reader.skipField();
  }
}

function readNested(reader: BinaryReader, read: (reader: BinaryReader) => unknown): unknown {
  let value: unknown;
  reader.readMessage(noMessage, () => {
    value = read(reader);
  });
  return value;
}

/** Leaves out undefined values, as JSON does. */
function writeFields(fields: Fields, writer: BinaryWriter): void {
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    writer.writeMessage(1, noMessage, () => {
      writer.writeString(1, name);
      writer.writeMessage(2, noMessage, () => writeValue(value, writer));
    });
  }
}

function writeValue(value: unknown, writer: BinaryWriter): void {
  if (value === null || value === undefined) writer.writeEnum(kinds.NULL_VALUE, 0);
  else if (typeof value === 'number') writer.writeDouble(kinds.NUMBER_VALUE, value);
  else if (typeof value === 'string') writer.writeString(kinds.STRING_VALUE, value);
  else if (typeof value === 'boolean') writer.writeBool(kinds.BOOL_VALUE, value);
  else if (Array.isArray(value))
    writer.writeMessage(kinds.LIST_VALUE, noMessage, () => writeList(value, writer));
  else writer.writeMessage(kinds.STRUCT_VALUE, noMessage, () => writeFields(value as Fields, writer));
}

function writeList(items: readonly unknown[], writer: BinaryWriter): void {
  for (const item of items) writer.writeMessage(1, noMessage, () => writeValue(item, writer));
}
