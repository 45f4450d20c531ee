import { formatUsdc, type Usdc } from '@farebox/money'
import { PROVIDER_JSON, scanJson } from '../provider/json-scan-rules.ts'

/** Where the usage of an answer, or of an event of a stream, stands; each may be around it. */
const AROUND_USAGE = ['response', 'message'] as const
const LINE = /\r\n|\r|\n/

/**
 * Returns an answer of a model whose `usage.cost` is ours: some providers state their own price there, and clients take
 * it for what they paid. All else stays as it came, to the last digit.
 *
 * @param text   JSON text within the bounds of what a provider may send
 * @param charge micro-USDC; null leaves `cost` out
 */
export function withOwnCost(text: string, charge: Usdc | null): string {
  const usage = ownUsage(text, charge)
  return usage === null ? text : text.replaceAll(usage.before, () => usage.after)
}

/** A server-sent event: its bytes with the blank line that ends it, its type and its data. */
export type EventText = { readonly raw: Buffer; readonly name: string; readonly data: string }

/** Returns an event of a stream without a `usage.cost` of its provider: what the call is charged is told at its end. */
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

/** The text of a usage object that states a cost, and what stands in its place; null when there is none. */
function ownUsage(text: string, charge: Usdc | null): { before: string; after: string } | null {
  // Nearly no answer has the word in it at all.
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
