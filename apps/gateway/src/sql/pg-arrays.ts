/**
 * Encodes columns of rows as one parameter each: arrays in PostgreSQL's binary format ("array_send" and the send
 * functions of their elements), for `unnest`. Text arrays would cost both sides more than everything else done with
 * them.
 */

/** Type ids of elements, the same in every PostgreSQL (pg_type.dat). */
const OID = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int2: 21,
  text: 25,
  timestamptz: 1184,
} as const

/** Dimensions, null flag, element type, length, lower bound: four bytes each. */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const NULL_LENGTH = -1
/** Maximum bytes of UTF-8 per character of a string. */
const UTF8_BYTES_MAX = 3
/** PostgreSQL's epoch: 2000-01-01, in Unix milliseconds. */
const EPOCH_MS = 946_684_800_000
const TWO_TO_32 = 2 ** 32
const SCRATCH_BYTES = 65_536

type Read<Row, Value> = (row: Row) => Value | null

/** Buffer for columns of variable width, before their size is known. */
let scratch = scratchOf(SCRATCH_BYTES)

function scratchOf(bytes: number) {
  const buffer = Buffer.allocUnsafeSlow(bytes)
  return { buffer, view: new DataView(buffer.buffer) }
}

/** Grows the buffer to `end` bytes, keeping those before `used`. */
function grow(end: number, used: number): void {
  if (end <= scratch.buffer.length) return
  const larger = scratchOf(2 ** Math.ceil(Math.log2(end)))
  scratch.buffer.copy(larger.buffer, 0, 0, used)
  scratch = larger
}

function writeHeader(view: DataView, of: { oid: number; count: number; hasNull: boolean }): void {
  view.setInt32(0, 1)
  view.setInt32(4, of.hasNull ? 1 : 0)
  view.setInt32(8, of.oid)
  view.setInt32(12, of.count)
  view.setInt32(16, 1)
}

/** Values of variable width: `room` bounds the bytes of one, `put` writes it and returns its length. */
function variable<Row, Value>(
  oid: number,
  {
    rows,
    of,
    room,
    put,
  }: {
    rows: readonly Row[]
    of: Read<Row, Value>
    room: (value: Value) => number
    put: (value: Value, at: number) => number
  },
): Buffer {
  let at = HEADER_BYTES
  let hasNull = false
  for (const row of rows) {
    const value = of(row)
    grow(at + LENGTH_BYTES + (value === null ? 0 : room(value)), at)
    if (value === null) hasNull = true
    const length = value === null ? NULL_LENGTH : put(value, at + LENGTH_BYTES)
    scratch.view.setInt32(at, length)
    at += LENGTH_BYTES + Math.max(0, length)
  }
  writeHeader(scratch.view, { oid, count: rows.length, hasNull })
  return Buffer.from(scratch.buffer.subarray(0, at))
}

/** Values of `width` bytes each. */
function fixed<Row, Value>(
  { oid, width }: { oid: number; width: number },
  {
    rows,
    of,
    put,
  }: {
    rows: readonly Row[]
    of: Read<Row, Value>
    put: (view: DataView, at: number, value: Value) => void
  },
): Buffer {
  const buffer = Buffer.allocUnsafe(HEADER_BYTES + rows.length * (LENGTH_BYTES + width))
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.length)
  let at = HEADER_BYTES
  let hasNull = false
  for (const row of rows) {
    const value = of(row)
    view.setInt32(at, value === null ? NULL_LENGTH : width)
    at += LENGTH_BYTES
    if (value === null) hasNull = true
    else {
      put(view, at, value)
      at += width
    }
  }
  writeHeader(view, { oid, count: rows.length, hasNull })
  return buffer.subarray(0, at)
}

/** `text[]` of a column. */
export const texts = <Row>(rows: readonly Row[], of: Read<Row, string>): Buffer =>
  variable(OID.text, {
    rows,
    of,
    room: value => value.length * UTF8_BYTES_MAX,
    put: (value, at) => scratch.buffer.write(value, at, 'utf8'),
  })

/** `bytea[]` of a column. */
export const byteStrings = <Row>(rows: readonly Row[], of: Read<Row, Buffer>): Buffer =>
  variable(OID.bytea, {
    rows,
    of,
    room: value => value.length,
    put: (value, at) => value.copy(scratch.buffer, at),
  })

/** `bigint[]` of a column. */
export const bigints = <Row>(rows: readonly Row[], of: Read<Row, bigint>): Buffer =>
  fixed({ oid: OID.int8, width: 8 }, { rows, of, put: (view, at, value) => view.setBigInt64(at, value) })

/** `smallint[]` of a column. */
export const smallints = <Row>(rows: readonly Row[], of: Read<Row, number>): Buffer =>
  fixed({ oid: OID.int2, width: 2 }, { rows, of, put: (view, at, value) => view.setInt16(at, value) })

/** `boolean[]` of a column. */
export const booleans = <Row>(rows: readonly Row[], of: Read<Row, boolean>): Buffer =>
  fixed({ oid: OID.bool, width: 1 }, { rows, of, put: (view, at, value) => view.setInt8(at, value ? 1 : 0) })

/** `timestamptz[]` of a column. */
export const times = <Row>(rows: readonly Row[], of: Read<Row, Date>): Buffer =>
  fixed(
    { oid: OID.timestamptz, width: 8 },
    {
      rows,
      of,
      put(view, at, value) {
        const micros = (value.getTime() - EPOCH_MS) * 1_000
        view.setInt32(at, Math.floor(micros / TWO_TO_32))
        view.setUint32(at + 4, micros - Math.floor(micros / TWO_TO_32) * TWO_TO_32)
      },
    },
  )
