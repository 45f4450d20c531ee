import { Client } from 'undici'
import type { StreamOutcome, StreamPlan } from '../messages.ts'
import { createStreamReader, type StreamReader } from './stream-reader.ts'

/** A stream that says nothing for this long is lost, in ms. */
const SILENCE_MS_MAX = 30_000
const WHY_CHARS_MAX = 300

/** A stream as it is asked for. */
export type OutgoingStream = {
  readonly path: string
  readonly credential: string
  readonly body: string
  readonly plan: StreamPlan
  readonly isPaid: boolean
}

/** What is told while a stream comes. */
export type StreamWatch = { first(): void; chunk(at: number): void }

/** One caller of streams: one kept connection, one stream at a time. */
export type StreamCaller = {
  read(stream: OutgoingStream, watch: StreamWatch): Promise<Omit<StreamOutcome, 'plan'>>
  close(): Promise<void>
}

/** Opens a caller; like the one of whole answers, it takes undici's dispatch as it is. */
export function openStreamCaller(origin: string): StreamCaller {
  const client = new Client(origin, {
    pipelining: 1,
    headersTimeout: SILENCE_MS_MAX,
    bodyTimeout: SILENCE_MS_MAX,
  })
  return {
    read: ({ path, credential, body, plan, isPaid }, watch) =>
      new Promise(resolve => {
        const reader = createStreamReader(watch)
        let status = 0
        let refusal = ''
        let hasLeft = false
        const end = (problem: string | null) => {
          const said = status === 200 ? problem : `${status} ${refusal || problem}`.slice(0, WHY_CHARS_MAX)
          resolve(hasLeft ? outcome('left', reader, null) : judge(reader, { plan, isPaid, problem: said }))
        }
        client.dispatch(
          {
            path,
            method: 'POST',
            headers: ['content-type', 'application/json', 'x-credential', credential],
            body,
          },
          {
            onRequestStart: () => undefined,
            onResponseStart(_controller, code) {
              status = code
            },
            onResponseData(controller, piece) {
              // Bytes beyond ASCII never come, and in Latin-1 a byte is a character.
              const text = piece.toString('latin1')
              if (status !== 200) refusal += text
              else reader.push(text)
              if (plan.leaveAfter === null || reader.chunks < plan.leaveAfter || hasLeft) return
              hasLeft = true
              controller.abort(new Error('The caller leaves.'))
            },
            onResponseEnd: () => end(null),
            onResponseError: (_controller, error) => end(error.message),
          },
        )
      }),
    close: () => client.close(),
  }
}

const outcome = (end: StreamOutcome['end'], reader: StreamReader, why: string | null) => ({
  end,
  why,
  invocationId: reader.gateway?.invocationId ?? reader.error?.detail?.invocationId ?? null,
})

/**
 * Holds a stream that is over to its plan. A whole one has every chunk in order, the gateway's bill over the model's
 * usage, and `[DONE]` last; a cut one says so, leaves its call waiting for usage, and shows neither bill nor end.
 *
 * @param run.problem what went wrong with the connection or the status, if anything did
 */
export function judge(
  reader: StreamReader,
  run: { plan: StreamPlan; isPaid: boolean; problem: string | null },
): Omit<StreamOutcome, 'plan'> {
  const { plan, isPaid, problem } = run
  const { script, chargedUsdc } = plan
  const lost = (why: string) => outcome('lost', reader, `${why}, after ${reader.chunks} chunks`)
  if (problem !== null) return lost(problem)
  if (!reader.isInOrder) return lost('chunks out of order')
  const { gateway, error, isDone } = reader
  if (script.cutAfter !== null) {
    if (gateway !== null || isDone) return lost('a cut stream looks whole')
    const isReported = error?.detail?.reason === 'stream_cut' && error.detail.status === 'PROCESSING'
    return isReported ? outcome('cut', reader, null) : lost(`a cut was told as ${JSON.stringify(error)}`)
  }
  if (error !== null) return lost(`broken off: ${JSON.stringify(error)}`)
  if (reader.chunks !== script.chunks) return lost(`${script.chunks} chunks were sent`)
  if (!isDone) return lost('no [DONE] at the end')
  if (!isPaid) return outcome('whole', reader, null)
  const isBilled =
    gateway?.status === 'SUCCEEDED' &&
    gateway.chargedUsdc === chargedUsdc &&
    gateway.usage?.inputTokens === script.inputTokens &&
    gateway.usage.outputTokens === script.outputTokens
  return isBilled ? outcome('whole', reader, null) : lost(`billed wrongly: ${JSON.stringify(gateway)}`)
}
