import { z } from 'zod'
import type { Turn } from './dialect.ts'

const PARTS_MAX = 1_000
/** Maximum turns of a request. */
export const TURNS_MAX = 5_000
/** Maximum tools of a request. */
export const TOOLS_MAX = 500

const part = z.looseObject({ type: z.string(), text: z.string().optional() })
/** Content in all three APIs: text, or a list of parts. */
export const contentIn = z.union(
  [z.string(), z.array(part).max(PARTS_MAX)],
  'Must be text or a list of parts.',
)
/** {@link contentIn} as parsed. */
export type Content = z.output<typeof contentIn>
/** Maximum tokens. */
export const tokensIn = z.int().min(1).nullish()
/** Stop texts, one or a list. */
export const stopsIn = z
  .union([z.string(), z.array(z.string()).max(16)])
  .nullish()
  .transform(given => [given ?? []].flat().filter(text => text !== ''))

/** The form of a text answer: `json_schema` with a schema, or another one, which is not imitated. */
export const formatIn = z.looseObject({ type: z.string(), schema: z.unknown().optional() }).nullish()

/** Returns the schema of a form of answer. */
export const schemaOf = (format: z.output<typeof formatIn>): unknown =>
  format?.type === 'json_schema' ? format.schema : undefined

/** Returns a turn with this content. */
export function turnOf(role: Turn['role'], content: Content | null | undefined, more = ''): Turn {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
  if (more !== '') texts.push(more)
  return { role, text: texts.join('\n'), otherParts: parts.filter(({ text }) => text === undefined).length }
}
