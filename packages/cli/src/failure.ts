import { type ErrorDetail, GatewayError } from '@farebox/client/errors'
import { EXIT, type ExitCode, exitCodeOf } from './exit-codes.ts'
import { nextCommand } from './terminal/next-command.ts'

/** An error as the program reports it: a code, a message, hints on what to do next, and the exit code. */
export class Failure extends Error {
  override readonly name = 'Failure'
  /** A code of the gateway (docs/errors.md), or one of the program. */
  readonly code: string
  readonly exitCode: ExitCode
  /** Lines that say what happened to the money and what to run next. */
  readonly hints: readonly string[]
  readonly requestId: string | null
  readonly detail: ErrorDetail

  constructor(
    code: string,
    message: string,
    about: {
      exitCode: ExitCode
      hints?: readonly string[]
      requestId?: string | null
      detail?: ErrorDetail
      cause?: unknown
    },
  ) {
    super(message, { cause: about.cause })
    this.code = code
    this.exitCode = about.exitCode
    this.hints = about.hints ?? []
    this.requestId = about.requestId ?? null
    this.detail = about.detail ?? {}
  }
}

/** Returns a failure for a command line or an input that is not usable. */
export function badInput(message: string, ...hints: string[]): Failure {
  return new Failure('BAD_INPUT', message, { exitCode: EXIT.usage, hints })
}

/** Returns an error as a failure, with hints. Errors that are not expected are reported by their message. */
export function toFailure(
  error: unknown,
  hints: readonly string[] = [],
  exitCode?: ExitCode | undefined,
): Failure {
  if (error instanceof Failure) return error
  if (error instanceof GatewayError) {
    const { code, message, requestId, detail } = error
    const about = { requestId, detail, cause: error, hints: [...hints, ...adviceOn(error)] }
    return new Failure(code, message, { ...about, exitCode: exitCode ?? exitCodeOf(error) })
  }
  // Errors of viem have a short message, and a long one with the whole request.
  const short = error instanceof Error && 'shortMessage' in error ? String(error.shortMessage) : null
  const message = short ?? (error instanceof Error ? error.message : String(error))
  return new Failure('FAILED', message, { exitCode: exitCode ?? EXIT.refused, hints, cause: error })
}

/** For limits of a credential: the option that raises each. */
const RAISED_BY: Readonly<Record<string, string>> = {
  credential_credit: '--credit-limit USDC',
  credential_calls: '--max-calls COUNT',
  credential_per_call: '--max-cost-per-call USDC',
}

/** Returns what to run after an error whose remedy is always the same. */
function adviceOn({ code, status, detail }: GatewayError): string[] {
  if (code === 'BUDGET_EXHAUSTED' && detail.limit === 'owner_balance')
    return ['Add money: farebox deposit --help']
  const option = code === 'BUDGET_EXHAUSTED' ? RAISED_BY[String(detail.limit)] : undefined
  if (option !== undefined)
    return [`Its owner raises the limit: ${nextCommand(`credentials update ID ${option}`)}`]
  if (code === 'UNAUTHORIZED') return [`Sign in again: ${nextCommand('login')}`]
  if (code === 'CREDENTIAL_INVALID' || code === 'CREDENTIAL_INACTIVE')
    return ['Mint a credential: farebox credentials mint --help']
  if (code === 'INSUFFICIENT_BALANCE') return ['Add money: farebox deposit --help']
  if (code === 'UNREACHABLE' && status === 0)
    return ['Check the address of the gateway: --gateway URL, or FAREBOX_URL.']
  return []
}
