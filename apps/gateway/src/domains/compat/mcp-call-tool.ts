import type { ErrorBody, GatewayError } from '@farebox/wire/errors'
import type { InvokeInput } from '@farebox/wire/invocation'
import { callToolIn } from '@farebox/wire/mcp'
import { type CallToolResult, ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { invalidPayload } from '../../http/errors.ts'
import type { Agent } from '../credentials/require-agent.ts'
import {
  type Answer,
  type InvocationDeps,
  type Invoked,
  invokeService,
} from '../invocation/invoke-service.ts'
import { type CallRequest, callOf } from '../invocation/read-call.ts'
import {
  billOf,
  binaryResultOf,
  builtResultOf,
  receiptIn,
  resultOf,
} from '../invocation/records/read-answer.ts'
import { resultlessError } from './find-failure.ts'
import { explainRefusal, type Refusal } from './mcp-error-rules.ts'

/** Valid names of tools: agentToolNames and service ids. */
const TOOL_NAME = /^[a-z0-9_-]{1,64}$/

/** Types of images and sounds (RFC 6838, 4.2), without their parameters. */
const MEDIA_TYPE = /^\s*((image|audio)\/[\w!#$&^.+-]+)\s*(?:;|$)/i

/** A `tools/call` and its caller. */
export type ToolCall = {
  readonly agent: Agent
  readonly request: CallRequest
  readonly params: { readonly name: string; readonly arguments?: unknown; readonly _meta?: unknown }
  /** Called with the outcome of the call, for the headers of the response. */
  readonly onInvoked: (invoked: Invoked) => void
}

/**
 * Calls a service as a tool: one paid invocation, with its bill in `_meta`. Failures are returned as results with
 * `isError`, so that the calling model can read them.
 *
 * @throws RpcError InvalidParams when no service has that name
 */
export async function callTool(deps: InvocationDeps, call: ToolCall): Promise<CallToolResult> {
  const { agent, request, params } = call
  const { name } = params
  if (!TOOL_NAME.test(name)) throw unknownTool(name)
  const shed = deps.calls.shed(agent.owner)
  if (shed !== null) return refusedResult(shed.toBody(request.id), name)
  const input = readAsk(params)
  const invoked = await invokeService(
    deps,
    callOf({ agent, request, input, assertsPrice: false, isFlat: true }),
  )
  call.onInvoked(invoked)
  const refusal = refusalOf(invoked, request.id)
  if (refusal?.code === 'SERVICE_NOT_FOUND') throw unknownTool(name)
  if (refusal !== null) return refusedResult(refusal, name)
  if ('error' in invoked) throw invoked.error
  return paidResult(invoked.answer)
}

/** An error of JSON-RPC. That of the library puts its code into the message, as the clients do again. */
export class RpcError extends Error {
  readonly code: ErrorCode
  readonly data: unknown

  constructor(code: ErrorCode, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** Returns the error for an unknown tool. */
export function unknownTool(name: string): RpcError {
  const message = `There is no tool ${name.slice(0, 128)}. Find services with farebox_search, call them with farebox_call.`
  return new RpcError(ErrorCode.InvalidParams, message)
}

function readAsk(params: ToolCall['params']): InvokeInput | GatewayError {
  const parsed = callToolIn.safeParse(params)
  return parsed.success ? parsed.data : invalidPayload(parsed.error)
}

/** Returns why there is no result, for a refused or a failed call; null if there is one. */
function refusalOf(invoked: Invoked, requestId: string): ErrorBody | null {
  if ('error' in invoked) return invoked.error.toBody(requestId)
  const { httpStatus, body } = invoked.answer
  if (httpStatus >= 400) return JSON.parse(body) as ErrorBody
  return resultlessError(invoked.answer)?.toBody(requestId) ?? null
}

/**
 * Returns the result of a failed tool call: an explanation with the next step, and the error in the gateway's own
 * format.
 */
export function refusedResult(refusal: Refusal, tool: string): CallToolResult {
  const { code, detail } = refusal
  const { invocationId, retryAfterSeconds } = detail
  return {
    isError: true,
    content: [{ type: 'text', text: explainRefusal(refusal, tool) }],
    structuredContent: { ...refusal },
    _meta: {
      'farebox/code': code,
      ...(invocationId !== undefined && { 'farebox/invocationId': invocationId }),
      ...(retryAfterSeconds !== undefined && { 'farebox/retryAfterSeconds': retryAfterSeconds }),
    },
  }
}

function paidResult({ body, isReplay }: Answer): CallToolResult {
  const { invocationId, chargedUsdc, holdUsdc, releasedUsdc, usage } = billOf(body)
  return {
    ...(mediaOf(body) ?? jsonOf(body)),
    _meta: {
      'farebox/invocationId': invocationId,
      'farebox/chargedUsdc': chargedUsdc,
      'farebox/holdUsdc': holdUsdc,
      'farebox/releasedUsdc': releasedUsdc,
      ...(usage !== null && { 'farebox/usage': usage }),
      'farebox/receipt': receiptIn(body),
      'farebox/replayed': isReplay,
    },
  }
}

type Content = Pick<CallToolResult, 'content' | 'structuredContent'>

/** Returns the provider's text, which may contain numbers that JavaScript cannot represent, and the value of it. */
function jsonOf(body: string): Content {
  const result = builtResultOf(body)
  const content = [{ type: 'text' as const, text: resultOf(body) }]
  return result === null ? { content } : { content, structuredContent: result }
}

/** Returns an image or sound as such; null for other answers. SVG is text, which models read, and stays text. */
function mediaOf(body: string): Content | null {
  const binary = binaryResultOf(body)
  const [, mimeType, type] = MEDIA_TYPE.exec(binary?.contentType ?? '') ?? []
  if (binary === null || mimeType === undefined) return null
  const part = { data: binary.base64, mimeType: mimeType.toLowerCase() }
  return {
    content: [type?.toLowerCase() === 'image' ? { type: 'image', ...part } : { type: 'audio', ...part }],
  }
}
