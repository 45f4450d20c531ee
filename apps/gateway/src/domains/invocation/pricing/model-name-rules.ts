import { PROVIDER_JSON, scanJson } from '../provider/json-scan-rules.ts'
import { type EventText, frame } from './usage-cost-rules.ts'

/** Paths of the model's name: in the answer, or in the response inside an event of the Responses API. */
const NAME = 'model'
const AROUND_NAME = 'response'

/**
 * Returns an answer with `model` set to the caller's name of the model. Everything else stays unchanged, to the last
 * digit; an answer without a model stays without.
 *
 * @param text JSON text within the limits for providers
 */
export function withModelName(text: string, model: string): string {
  return withNameIn(text, model, [NAME, AROUND_NAME])
}

/** Looks one level deep only: each level more would be a scan of the text more. */
function withNameIn(text: string, model: string, names: readonly string[]): string {
  const scan = scanJson(text, PROVIDER_JSON, names)
  if (typeof scan === 'string') return text
  const around = scan.texts.get(AROUND_NAME)
  const inner = around?.startsWith('{') ? withNameIn(around, model, [NAME]) : undefined
  const changes = [
    { from: scan.starts.get(NAME), before: scan.texts.get(NAME), after: JSON.stringify(model) },
    { from: scan.starts.get(AROUND_NAME), before: around, after: inner },
  ]
  return changes
    .sort((one, other) => (other.from ?? 0) - (one.from ?? 0))
    .reduce(
      (reported, { from, before, after }) =>
        from === undefined || before === undefined || after === undefined
          ? reported
          : reported.slice(0, from) + after + reported.slice(from + before.length),
      text,
    )
}

/** Returns an event of a stream with `model` set to the caller's name of the model. */
export function eventWithModelName<Event extends EventText>(event: Event, model: string): Event {
  if (!event.data.includes('"model"')) return event
  const data = withModelName(event.data, model)
  if (data === event.data) return event
  const raw = event.raw.toString('utf8')
  const isOnOneLine = raw.includes(event.data)
  const changed = isOnOneLine ? raw.replace(event.data, () => data) : frame(event.name, data)
  return { ...event, data, raw: Buffer.from(changed) }
}
