import { createServer } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { listen } from '../kit/network/loopback.ts'

/** A span as received. */
export type SeenSpan = {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client' | 'other'
  readonly attributes: Readonly<Record<string, unknown>>
  readonly events: readonly {
    readonly name: string
    readonly attributes: Readonly<Record<string, unknown>>
  }[]
  readonly isError: boolean
  /** In ms. */
  readonly took: number
}

/** An OpenTelemetry collector: OTLP over HTTP, JSON, on a real socket. */
export type Collector = {
  /** Value for `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string
  readonly spans: SeenSpan[]
  /** Headers of the last export. */
  resource(): Readonly<Record<string, unknown>>
  /** All received bodies, as text. */
  text(): string
  stop(): Promise<void>
}

type Value = Readonly<Record<string, unknown>>
type Attribute = { readonly key: string; readonly value: Value }
type Sent = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string
        readonly spanId: string
        readonly parentSpanId?: string
        readonly name: string
        readonly kind: number
        readonly startTimeUnixNano: string
        readonly endTimeUnixNano: string
        readonly attributes: readonly Attribute[]
        readonly events?: readonly { readonly name: string; readonly attributes: readonly Attribute[] }[]
        readonly status?: { readonly code?: number }
      }[]
    }[]
  }[]
}

/** Numbers of span kinds and of the status of a failure in OTLP. */
const KINDS = ['other', 'internal', 'server', 'client'] as const
const STATUS_ERROR = 2
const NANOS_PER_MS = 1_000_000n

/** Starts a collector on a free loopback port. */
export async function startCollector(): Promise<Collector> {
  const spans: SeenSpan[] = []
  let text = ''
  let resource: Readonly<Record<string, unknown>> = {}
  const server = createServer(async (request, response) => {
    const body = await readText(request)
    const isExport = request.method === 'POST' && request.url === '/v1/traces'
    if (isExport) {
      text += body
      for (const { resource: of, scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
        resource = read(of.attributes)
        spans.push(...scopeSpans.flatMap(scope => scope.spans.map(spanOf)))
      }
    }
    response.writeHead(isExport ? 200 : 404, { 'content-type': 'application/json' }).end('{}')
  })
  const { origin, stop } = await listen(server)
  return {
    url: origin,
    spans,
    resource: () => resource,
    text: () => text,
    stop,
  }
}

function spanOf(sent: Sent['resourceSpans'][number]['scopeSpans'][number]['spans'][number]): SeenSpan {
  const { traceId, spanId, parentSpanId, name, kind, events = [] } = sent
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind: KINDS[kind] ?? 'other',
    attributes: read(sent.attributes),
    events: events.map(event => ({ name: event.name, attributes: read(event.attributes) })),
    isError: sent.status?.code === STATUS_ERROR,
    took: Number((BigInt(sent.endTimeUnixNano) - BigInt(sent.startTimeUnixNano)) / NANOS_PER_MS),
  }
}

/** Attributes of any type; integers are text or numbers. */
function read(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => {
      const [[type, plain] = []] = Object.entries(value)
      return [key, type === 'intValue' ? Number(plain) : plain]
    }),
  )
}
