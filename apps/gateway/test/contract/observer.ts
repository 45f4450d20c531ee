import { appendFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { anthropicErrorAnswer, openAiErrorAnswer } from '@farebox/wire/compat'
import { type ErrorCode, errorTable } from '@farebox/wire/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect } from 'vitest'
import { z } from 'zod'
import type { OnAnswer } from '../../src/app.ts'
import { errorBody, errorCodesOf, type Operation } from '../../src/http/openapi/contract.ts'

const VIOLATIONS_SHOWN_MAX = 10
const BODY_SHOWN_LENGTH_MAX = 2_000
const ROOT = join(import.meta.dirname, '../../../..')
/** Directory of the notes on which test provoked which answer; set by scripts/test for a whole run. */
const NOTES_DIRECTORY = process.env.CONTRACT_COVERAGE_DIR

/** Random requests provoke other answers in each run, so none of theirs is noted. */
const RANDOM_TESTS = join('apps', 'gateway', 'test', 'fuzz')

/** The code noted for a successful answer. */
export const OK = 'OK'

/** Validates every answer of a test gateway against the contract of its operation. */
export type Observer = {
  readonly onAnswer: OnAnswer
  /** Answers of each operation so far, as `operation CODE`. */
  readonly seen: ReadonlySet<string>
  /** Notes an answer that bypasses the hooks, as checked by the test. */
  note(operation: string, code: ErrorCode): void
  /** Returns and clears the violations of the contract so far. */
  takeFaults(): readonly string[]
  /** Call it when the gateway has stopped: throws if there were violations of the contract. */
  assertKept(): void
}

/** Observes the answers of one gateway. Answers of unknown paths are checked for the error format only. */
export function observeAnswers(): Observer {
  const violations = new Set<string>()
  const seen = new Set<string>()
  const known = new WeakMap<object, Known>()

  const promisedBy = (request: FastifyRequest): Known | null => {
    const { method, routeOptions } = request
    const { config, schema, url } = routeOptions
    if (config.contract === undefined) {
      if (url !== undefined) return null
      return request.url.startsWith('/v1/') ? anyCompatError : anyError
    }
    const before = known.get(config)
    if (before !== undefined) return before
    const input = { ...schema } as Operation['schema']
    const promised = knownOf({ contract: config.contract, method, url: url ?? '', schema: input })
    known.set(config, promised)
    return promised
  }

  const takeFaults = () => {
    const faults = [...violations]
    violations.clear()
    return faults
  }

  return {
    onAnswer(request, reply, payload) {
      if (request.method === 'HEAD' || request.method === 'OPTIONS') return
      const promised = promisedBy(request)
      if (promised === null) return
      const id = promised.operation?.contract.id ?? 'none'
      const fault = faultOf(promised, reply, payload)
      if (fault === null) {
        seen.add(`${id} ${codeOf(promised, reply, payload)}`)
        return
      }
      const { currentTestName } = expect.getState()
      const where = `${id} (${request.method} ${request.url})`
      violations.add(`${where}, in "${currentTestName ?? 'set-up'}":\n${fault}`)
    },
    seen,
    note(operation, code) {
      seen.add(`${operation} ${code}`)
    },
    takeFaults,
    assertKept() {
      flush(seen)
      const reported = takeFaults().slice(0, VIOLATIONS_SHOWN_MAX)
      if (reported.length === 0) return
      throw new Error(`Answered outside of the contract:\n\n${reported.join('\n\n')}`)
    },
  }
}

function codeOf(promised: Known, { statusCode }: FastifyReply, payload: string | null): string {
  if (statusCode < 400 || payload === null) {
    return statusCode === successOf(promised) ? OK : String(statusCode)
  }
  return codeIn(JSON.parse(payload)) ?? String(statusCode)
}

function faultOf(promised: Known, reply: FastifyReply, payload: string | null): string | null {
  if (reply.statusCode === successOf(promised)) return faultOfAnswer(promised, reply, payload)
  return reply.statusCode < 400
    ? faultOfOther(promised, reply.statusCode)
    : faultOfError(promised, reply, payload)
}

const successOf = ({ operation }: Known): number => operation?.contract.answerStatus ?? 200

type Known = {
  readonly operation: Operation | null
  readonly codes: ReadonlySet<string>
  readonly errorShape: z.ZodType
}

const anyError: Known = {
  operation: null,
  codes: new Set(Object.keys(errorTable)),
  errorShape: errorBody(Object.keys(errorTable) as ErrorCode[]).extend({
    // Unknown paths below the compatible APIs have an error that their clients show.
    type: z.literal('error').optional(),
    error: z.object({ type: z.string(), code: z.literal('NOT_FOUND'), message: z.string() }).optional(),
  }),
}

/** Below `/v1` errors have the format of the compatible APIs. */
const anyCompatError: Known = { ...anyError, errorShape: z.union([openAiErrorAnswer, anthropicErrorAnswer]) }

function knownOf(operation: Operation): Known {
  const codes = errorCodesOf(operation)
  return {
    operation,
    codes: new Set(codes),
    errorShape: operation.contract.errorAnswer ?? errorBody(codes),
  }
}

function faultOfAnswer({ operation }: Known, reply: FastifyReply, payload: string | null): string | null {
  if (operation === null) return null
  const type = mediaTypeOf(reply)
  const { contract } = operation
  if (type !== (contract.answerType ?? 'application/json') || contract.answer === undefined) {
    const others = Object.keys(contract.otherTypes ?? {})
    const range = type.replace(/\/.*/, '/*')
    return others.includes(type) || others.includes(range)
      ? null
      : `Answers ${type || 'no type'}, which is none of its types.`
  }
  if (payload === null) return null
  return difference(contract.answer, JSON.parse(payload), payload)
}

function faultOfOther({ operation }: Known, statusCode: number): string | null {
  // A page of the console for a browser that has it cached.
  if (operation === null && statusCode === 304) return null
  const others = Object.keys(operation?.contract.otherStatuses ?? {})
  return others.includes(String(statusCode)) ? null : `Answers status ${statusCode}, which it does not name.`
}

function faultOfError(
  { operation, codes, errorShape }: Known,
  reply: FastifyReply,
  payload: string | null,
): string | null {
  const { statusCode } = reply
  if (payload === null || mediaTypeOf(reply) !== 'application/json')
    return `Answers ${statusCode} without JSON.`
  const body: unknown = JSON.parse(payload)
  const code = codeIn(body)
  if (code !== undefined && !codes.has(code))
    return `Answers ${code}, which it does not name.\n${cut(payload)}`
  const fault = difference(errorShape, body, payload)
  if (fault !== null) return fault
  // An API with another error format may have further statuses: relayed ones of a provider.
  if (code === undefined || operation?.contract.errorAnswer !== undefined) return null
  const [status] = errorTable[code as ErrorCode]
  const isRight = statusCode === status || (code === 'UPSTREAM_ERROR' && statusCode === 504)
  return isRight ? null : `Answers ${code} with status ${statusCode} rather than ${status}.`
}

/** Returns the fault of a body; null if its schema parses it unchanged. */
function difference(schema: z.ZodType, body: unknown, text: string): string | null {
  const read = schema.safeParse(body)
  if (!read.success) return `${z.prettifyError(read.error)}\n${cut(text)}`
  if (isDeepStrictEqual(read.data, body)) return null
  return `Holds members that its schema does not name:\n${cut(text)}\nIts schema reads:\n${cut(JSON.stringify(read.data))}`
}

/** Returns the code of our error, or of one in another API's format, which contains it. */
function codeIn(body: unknown): string | undefined {
  const read = ownCode.safeParse(body)
  if (!read.success) return undefined
  return read.data.code ?? read.data.error?.farebox?.code
}
const farebox = z.object({ code: z.string() })
const ownCode = z.object({
  code: z.string().optional(),
  // Of OAuth, a text.
  error: z.object({ farebox: farebox.optional() }).optional().catch(undefined),
})

function mediaTypeOf(reply: FastifyReply): string {
  return String(reply.getHeader('content-type') ?? '').split(';', 1)[0] ?? ''
}

const cut = (text: string): string =>
  text.length > BODY_SHOWN_LENGTH_MAX ? `${text.slice(0, BODY_SHOWN_LENGTH_MAX)}...` : text

/** Appends to the notes of the run. */
function flush(seen: ReadonlySet<string>): void {
  const { testPath } = expect.getState()
  if (NOTES_DIRECTORY === undefined || testPath === undefined || seen.size === 0) return
  const file = relative(ROOT, testPath)
  if (file.startsWith(RANDOM_TESTS)) return
  const lines = [...seen].map(cell => `${cell} ${file}\n`)
  appendFileSync(join(NOTES_DIRECTORY, `${process.pid}.txt`), lines.join(''))
}
