import { formatUsdc, type Usdc } from '@farebox/money'
import { mayBeBuilt, PROVIDER_JSON, scanJson } from '../provider/json-scan-rules.ts'

/** Members of an answer or an event that may contain the usage object instead. */
const AROUND_USAGE: readonly string[] = ['response', 'message']
/** A usage object; quotation marks in strings are escaped, so a model's text does not match. */
const USAGE = /"usage"\s*:\s*\{/
const LINE = /\r\n|\r|\n/

/**
 * Returns a model's answer with `usage.cost` set to our charge, a number in USDC: some providers state their own price
 * there, which clients would take for what they paid. Everything else stays byte for byte.
 *
 * @param text   JSON text within the limits for providers
 * @param charge micro-USDC; null removes `cost`
 */
export function withOwnCost(text: string, charge: Usdc | null): string {
  const usage = ownUsage(text, charge)
  return usage === null ? text : spliced(text, usage)
}

/** A server-sent event: its bytes including the final blank line, its type and its data. */
export type EventText = { readonly raw: Buffer; readonly name: string; readonly data: string }

/**
 * Returns an event of a stream with `usage.cost` set to our charge, or without it.
 *
 * @param charge of the final usage, micro-USDC; null before that is known
 */
export function withCost<Event extends EventText>(event: Event, charge: Usdc | null): Event {
  const usage = ownUsage(event.data, charge)
  if (usage === null) return event
  const data = spliced(event.data, usage)
  const raw = event.raw.toString('utf8')
  const at = raw.indexOf(event.data)
  const isOnce = at >= 0 && at === raw.lastIndexOf(event.data)
  const text = isOnce ? raw.slice(0, at) + data + raw.slice(at + event.data.length) : frame(event.name, data)
  return { ...event, data, raw: Buffer.from(text) }
}

/** Returns an event as it is sent. */
export function frame(name: string, data: string): string {
  const lines = data.split(LINE).map(line => `data: ${line}\n`)
  return `${name === '' ? '' : `event: ${name}\n`}${lines.join('')}\n`
}

/** A usage object in a text, and its replacement. */
type OwnUsage = { readonly from: number; readonly before: string; readonly after: string }

function spliced(text: string, { from, before, after }: OwnUsage): string {
  return text.slice(0, from) + after + text.slice(from + before.length)
}

/** The usage object of a text with our cost; null when there is none, or nothing to change in it. */
function ownUsage(text: string, charge: Usdc | null): OwnUsage | null {
  // Nearly no event has usage, and nearly no answer a cost of its provider; `"usage":null` is in every chunk of some.
  if (!USAGE.test(text) || (charge === null && !text.includes('"cost"'))) return null
  const found = findUsage(text)
  if (found === null) return null
  const { before } = found
  if (!mayBeBuilt(before)) return { ...found, after: '{}' }
  const { cost, ...usage } = JSON.parse(before) as Readonly<Record<string, unknown>>
  if (charge === null) return cost === undefined ? null : { ...found, after: JSON.stringify(usage) }
  const own = Number(formatUsdc(charge))
  if (cost !== undefined) return { ...found, after: JSON.stringify({ ...usage, cost: own }) }
  const comma = Object.keys(usage).length === 0 ? '' : ','
  return { ...found, after: `${before.slice(0, -1)}${comma}"cost":${own}}` }
}

/** Finds `usage`, or that of the first object around it: each level more would be a scan of the text more. */
function findUsage(text: string, arounds = AROUND_USAGE): Omit<OwnUsage, 'after'> | null {
  const scan = scanJson(text, PROVIDER_JSON, ['usage', ...arounds])
  if (typeof scan === 'string') return null
  const { texts, starts } = scan
  const before = texts.get('usage')
  if (before?.startsWith('{')) return { from: starts.get('usage') ?? 0, before }
  const around = arounds.find(name => texts.get(name)?.startsWith('{'))
  const inner = around === undefined ? null : findUsage(texts.get(around) ?? '', [])
  return around === undefined || inner === null
    ? null
    : { ...inner, from: (starts.get(around) ?? 0) + inner.from }
}
