import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, Log } from '../ports.ts'
import type { Span } from '../telemetry/tracer.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Present if tracing is on. */
    span?: Span | undefined
    /** Code of its error. */
    errorCode?: string
    /** Id of its paid call; of several, the last. */
    invocationId?: string
  }
}

/** Route of unknown paths in the metrics. */
const UNMATCHED = 'unmatched'
/** Lower statuses are successes: the metrics count them. */
const REFUSED_FROM = 400
const STATUS_CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx'] as const

/**
 * Counts, times, traces and logs every routed request: one access line each, without body, headers or query, at `info`
 * if it failed or is in the sample of LOG_SUCCESS_SHARE, at `debug` otherwise. An operation is the id of its contract,
 * else its route pattern, so the number of names is bounded by the routes.
 */
export function observeRequests(
  app: Pick<FastifyInstance, 'addHook'>,
  deps: Pick<Deps, 'config' | 'metrics' | 'tracer' | 'log'>,
): void {
  const { metrics, tracer } = deps
  const report = createReport(deps)
  if (tracer !== null) {
    app.addHook('onRequest', (request, _reply, done) => {
      const { traceparent } = request.headers
      const route = request.routeOptions.url
      const span = tracer.serve(
        route === undefined ? request.method : `${request.method} ${route}`,
        typeof traceparent === 'string' ? traceparent : undefined,
      )
      span.set({
        'http.request.method': request.method,
        ...(route !== undefined && { 'http.route': route }),
        'farebox.request.id': request.id,
        'farebox.operation': operationOf(request),
      })
      request.span = span
      done()
    })
  }
  app.addHook('onResponse', (request, reply, done) => {
    const operation = operationOf(request)
    const { statusCode, elapsedTime } = reply
    const status = STATUS_CLASSES[Math.floor(statusCode / 100) - 1] ?? '5xx'
    metrics.count('farebox_http_requests_total', { operation, status })
    metrics.observe('farebox_http_request_seconds', { operation }, elapsedTime / 1_000)
    if (statusCode === 429) metrics.count('farebox_rate_limited_total', { operation })
    if (request.span !== undefined) endSpan(request.span, request, statusCode)
    report(request, reply, operation)
    done()
  })
}

/** Returns the name of a request in metrics, traces and logs. */
function operationOf({ routeOptions: { config, url } }: FastifyRequest): string {
  return config.contract?.id ?? url ?? UNMATCHED
}

/** Returns a function that writes the access line of a request; it builds no line that nobody reads. */
function createReport({ config, log }: Pick<Deps, 'config' | 'log'>) {
  const { LOG_SUCCESS_SHARE: share, LOG_LEVEL: level } = config
  /** Successes since the last one of the sample, times the share. */
  let due = 0
  return (request: FastifyRequest, reply: FastifyReply, operation: string): void => {
    let isShown = reply.statusCode >= REFUSED_FROM
    if (!isShown) {
      due += share
      isShown = due >= 1
      if (isShown) due -= 1
      else if (level !== 'debug') return
    }
    const line: Record<string, string | number> = {
      requestId: request.id,
      operation,
      method: request.method,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    if (request.invocationId !== undefined) line.invocationId = request.invocationId
    if (request.errorCode !== undefined) line.code = request.errorCode
    if (request.span !== undefined) line.traceId = request.span.traceId
    if (isShown) log.info(line, 'request')
    else log.debug(line, 'request')
  }
}

function endSpan(span: Span, { errorCode }: FastifyRequest, status: number): void {
  span.set({ 'http.response.status_code': status })
  if (status >= 500) span.fail(errorCode ?? String(status))
  else if (errorCode !== undefined) span.set({ 'farebox.error.code': errorCode })
  span.end()
}

/** Returns dependencies whose log adds the id of the request to each line. */
export function forRequest<Given extends { readonly log: Log }>(
  deps: Given,
  { id: requestId }: { readonly id: string },
): Given {
  const bind = (level: keyof Log) => (fields: object, message: string) =>
    deps.log[level]({ requestId, ...fields }, message)
  const log = { debug: bind('debug'), info: bind('info'), warn: bind('warn'), error: bind('error') }
  return { ...deps, log }
}
