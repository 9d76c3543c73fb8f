// Makes google-protobuf hold the properties of a Struct as a plain object. Its own Struct has an object per property and
// converts them from and to plain values, which took a quarter of the time of a refresh. The wire format is that of struct.proto.
import type { BinaryReader, BinaryWriter, Message } from 'google-protobuf';
import { type JavaScriptValue, Struct } from 'google-protobuf/google/protobuf/struct_pb';

type Fields = Record<string, JavaScriptValue>;

const fieldsOf = new WeakMap<Struct, Fields>();

export function toStruct(values: Fields): Struct {
  const struct = new Struct();
  fieldsOf.set(struct, values);
  return struct;
}

export function fromStruct(struct: Struct | undefined): Fields {
  return (struct && fieldsOf.get(struct)) ?? {};
}

Struct.fromJavaScript = toStruct;
Struct.prototype.toJavaScript = function () {
  return fromStruct(this);
};

Struct.deserializeBinaryFromReader = (struct, reader) => {
  fieldsOf.set(struct, readFields(reader));
  return struct;
};

Struct.serializeBinaryToWriter = (struct, writer) => writeFields(fromStruct(struct), writer);

/** Reading and writing a nested message passes one to the callback, which has no use for it. */
const noMessage = {} as Message;

function readFields(reader: BinaryReader): Fields {
  const fields: Fields = {};
  readEach(reader, () => {
    let name = '';
    let value: JavaScriptValue = null;
    while (reader.nextField()) {
      if (reader.getFieldNumber() === 1) name = reader.readString();
      else value = readNested(reader, readValue);
    }
    fields[name] = value;
  });
  return fields;
}

function readValue(reader: BinaryReader): JavaScriptValue {
  let value: JavaScriptValue = null;
  while (reader.nextField()) {
    const field = reader.getFieldNumber();
    if (field === 2) value = reader.readDouble();
    else if (field === 3) value = reader.readString();
    else if (field === 4) value = reader.readBool();
    else if (field === 5) value = readNested(reader, readFields);
    else if (field === 6) value = readNested(reader, readList);
    else reader.skipField();
  }
  return value;
}

function readList(reader: BinaryReader): JavaScriptValue[] {
  const items: JavaScriptValue[] = [];
  readEach(reader, () => items.push(readValue(reader)));
  return items;
}

/** Reads every nested message that the current one consists of. */
function readEach(reader: BinaryReader, read: () => void): void {
  while (reader.nextField()) reader.readMessage(noMessage, read);
}

function readNested<Value>(reader: BinaryReader, read: (reader: BinaryReader) => Value): Value {
  let value: Value | undefined;
  reader.readMessage(noMessage, () => {
    value = read(reader);
  });
  return value as Value; // readMessage has called it.
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

function writeValue(value: JavaScriptValue | undefined, writer: BinaryWriter): void {
  if (value === null || value === undefined) writer.writeEnum(1, 0);
  else if (typeof value === 'number') writer.writeDouble(2, value);
  else if (typeof value === 'string') writer.writeString(3, value);
  else if (typeof value === 'boolean') writer.writeBool(4, value);
  else if (Array.isArray(value)) writer.writeMessage(6, noMessage, () => writeList(value, writer));
  else writer.writeMessage(5, noMessage, () => writeFields(value as Fields, writer));
}

function writeList(items: readonly JavaScriptValue[], writer: BinaryWriter): void {
  for (const item of items) writer.writeMessage(1, noMessage, () => writeValue(item, writer));
}
