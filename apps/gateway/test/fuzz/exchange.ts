import { Agent, request as httpRequest } from 'node:http'

/** Timeout of an answer: far more than any takes on a busy machine. */
const ANSWER_MS_MAX = 20_000

/** A request; path and body are sent unchanged. */
export type Asked = {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string
}
/** The answer; `HANGS` after a timeout. */
export type Output = { readonly status: number; readonly text: string } | 'HANGS'

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends one request. */
export function exchange(url: string, { method, path, headers, body }: Asked): Promise<Output> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    const sent = httpRequest(
      { agent, hostname, port, method, path, headers: { ...headers, ...length } as Record<string, string> },
      answer => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.once('error', reject)
        answer.once('end', () => {
          clearTimeout(late)
          resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
        })
      },
    )
    const late = setTimeout(() => {
      resolve('HANGS')
      sent.destroy()
    }, ANSWER_MS_MAX)
    sent.once('error', error => {
      clearTimeout(late)
      reject(error)
    })
    sent.end(body)
  })
}
