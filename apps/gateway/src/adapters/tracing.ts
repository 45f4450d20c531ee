import {
  type Attributes,
  type Context,
  DiagLogLevel,
  diag,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-node'
import {
  ATTR_ERROR_TYPE,
  ATTR_SERVICE_INSTANCE_ID,
  ATTR_SERVICE_NAME,
  ATTR_SERVICE_VERSION,
} from '@opentelemetry/semantic-conventions'
import type { Log } from '../ports.ts'
import { within } from '../runtime/within.ts'
import type { Span, Tracer } from '../telemetry/tracer.ts'

/** Maximum queued spans; further ones are dropped. */
const WAITING_MAX = 4_096
const EXPORT_MAX = 512
/** Maximum delay of a finished span, in ms. */
const EXPORT_DELAY_MS = 1_000
/** Timeout of one export, in ms. */
const EXPORT_TIMEOUT_MS = 5_000
/** Maximum wait for the last export when the gateway stops, in ms. */
const STOP_WAIT_MS = 2_000
/** W3C Trace Context, level 1. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/
const KINDS = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER } as const

/** A tracer that can be closed. */
export type ClosableTracer = Tracer & {
  /** Exports queued spans, in bounded time. */
  close(): Promise<void>
}

/**
 * Exports spans to an OpenTelemetry collector (OTLP over HTTP, JSON). Parents are passed explicitly, so that no
 * asynchronous context is kept per request.
 *
 * @param options.endpoint base URL of the collector; `/v1/traces` is added
 * @param options.ratio    sampling ratio of traces that begin here; others follow the caller's decision
 */
export function createTracer(options: {
  endpoint: string
  ratio: number
  serviceName: string
  version: string
  instanceId: string
  log: Log
}): ClosableTracer {
  const { log, endpoint } = options
  logTroubles(log)
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: EXPORT_TIMEOUT_MS,
  })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      [ATTR_SERVICE_NAME]: options.serviceName,
      [ATTR_SERVICE_VERSION]: options.version,
      [ATTR_SERVICE_INSTANCE_ID]: options.instanceId,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(options.ratio) }),
    spanProcessors: [
      new BatchSpanProcessor(exporter, {
        maxQueueSize: WAITING_MAX,
        maxExportBatchSize: EXPORT_MAX,
        scheduledDelayMillis: EXPORT_DELAY_MS,
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  })
  const tracer = provider.getTracer('farebox', options.version)
  return {
    serve: (name, traceparent) =>
      spanOf(tracer, tracer.startSpan(name, { kind: KINDS.server }, contextOf(traceparent))),
    async close() {
      // Unsent spans are lost; that must not prevent a clean shutdown.
      await within(
        STOP_WAIT_MS,
        provider.shutdown().catch(() => undefined),
      )
    },
  }
}

/** Returns the caller's span as a parent; none if the header is invalid or all zeroes. */
function contextOf(traceparent: string | undefined): Context {
  const [, traceId = '', spanId = '', flags = '00'] = TRACEPARENT.exec(traceparent ?? '') ?? []
  const isNobody = /^0*$/.test(traceId) || /^0*$/.test(spanId)
  if (isNobody) return ROOT_CONTEXT
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true })
}

function spanOf(tracer: OtelTracer, span: OtelSpan): Span {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return {
    traceId,
    traceparent: `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`,
    child: (name, kind = 'internal') =>
      spanOf(tracer, tracer.startSpan(name, { kind: KINDS[kind] }, trace.setSpan(ROOT_CONTEXT, span))),
    set: (attributes: Attributes) => void span.setAttributes(attributes),
    event: (name, attributes) => void span.addEvent(name, attributes),
    fail(type) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.setAttribute(ATTR_ERROR_TYPE, type)
    },
    end: () => span.end(),
  }
}

/** Errors of the exporter go to our log: a missing collector is no reason to fail. */
function logTroubles(log: Log): void {
  const report = (message: string) => log.warn({ reason: message.slice(0, 500) }, 'traces could not be sent')
  const ignore = () => undefined
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  )
}
