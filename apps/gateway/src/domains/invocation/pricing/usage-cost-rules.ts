import { formatUsdc, type Usdc } from '@farebox/money'
import { PROVIDER_JSON, scanJson } from '../provider/json-scan-rules.ts'

/** Paths of the usage object in an answer or an event; each may be nested in the other. */
const AROUND_USAGE = ['response', 'message'] as const
const LINE = /\r\n|\r|\n/

/**
 * Returns a model's answer with `usage.cost` set to our charge: some providers state their own price there, which
 * clients would take for what they paid. Everything else stays byte for byte.
 *
 * @param text   JSON text within the limits for providers
 * @param charge micro-USDC; null removes `cost`
 */
export function withOwnCost(text: string, charge: Usdc | null): string {
  const usage = ownUsage(text, charge)
  return usage === null ? text : text.replaceAll(usage.before, () => usage.after)
}

/** A server-sent event: its bytes including the final blank line, its type and its data. */
export type EventText = { readonly raw: Buffer; readonly name: string; readonly data: string }

/** Returns a stream's event without the provider's `usage.cost`: the charge is sent at the end. */
export function withoutCost<Event extends EventText>(event: Event): Event {
  const usage = ownUsage(event.data, null)
  if (usage === null) return event
  const change = (text: string) => text.replaceAll(usage.before, () => usage.after)
  const data = change(event.data)
  const raw = event.raw.toString('utf8')
  const isOnOneLine = raw.includes(usage.before)
  return { ...event, data, raw: Buffer.from(isOnOneLine ? change(raw) : frame(event.name, data)) }
}

/** Returns an event as it is sent. */
export function frame(name: string, data: string): string {
  const lines = data.split(LINE).map(line => `data: ${line}\n`)
  return `${name === '' ? '' : `event: ${name}\n`}${lines.join('')}\n`
}

/** Returns the text of a usage object with a cost, and its replacement; or null. */
function ownUsage(text: string, charge: Usdc | null): { before: string; after: string } | null {
  // Almost no answer contains the word at all.
  if (!text.includes('"cost"')) return null
  const before = usageTextIn(text)
  if (before === null || !before.startsWith('{')) return null
  const { cost, ...usage } = JSON.parse(before) as Readonly<Record<string, unknown>>
  if (cost === undefined) return null
  const own = charge === null ? {} : { cost: Number(formatUsdc(charge)) }
  return { before, after: JSON.stringify({ ...usage, ...own }) }
}

function usageTextIn(text: string): string | null {
  const scan = scanJson(text, PROVIDER_JSON, ['usage', ...AROUND_USAGE])
  if (typeof scan === 'string') return null
  const { texts } = scan
  const inner = AROUND_USAGE.map(name => texts.get(name)).find(each => each?.startsWith('{'))
  return texts.get('usage') ?? (inner === undefined ? null : usageTextIn(inner))
}
