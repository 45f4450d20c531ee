import { Refusal } from '../verify/refusal.ts'

/** Default of `bodyBytesMax`. */
const BODY_BYTES_MAX = 1_048_576

/**
 * Reads a body to its end.
 *
 * @throws Refusal body_too_large
 */
export async function readBody(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  bytesMax: number = BODY_BYTES_MAX,
): Promise<Buffer<ArrayBuffer>> {
  const read: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > bytesMax) throw new Refusal('body_too_large', `The body is larger than ${bytesMax} bytes.`)
    read.push(chunk)
  }
  return Buffer.concat(read)
}
