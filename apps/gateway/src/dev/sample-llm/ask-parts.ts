import { z } from 'zod'
import type { Turn } from './dialect.ts'

const PARTS_MAX = 1_000
/** Most turns of one request. */
export const TURNS_MAX = 5_000
/** Most tools of one request. */
export const TOOLS_MAX = 500

const part = z.looseObject({ type: z.string(), text: z.string().optional() })
/** Content as all three APIs have it: text, or a list of parts. */
export const contentIn = z.union(
  [z.string(), z.array(part).max(PARTS_MAX)],
  'Must be text or a list of parts.',
)
/** {@link contentIn} as read. */
export type Content = z.output<typeof contentIn>
/** A limit of tokens. */
export const tokensIn = z.int().min(1).nullish()
/** Stop texts, one or a list. */
export const stopsIn = z
  .union([z.string(), z.array(z.string()).max(16)])
  .nullish()
  .transform(given => [given ?? []].flat().filter(text => text !== ''))

/** A turn of this content. */
export function turnOf(role: Turn['role'], content: Content | null | undefined, more = ''): Turn {
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? [])
  const texts = parts.flatMap(({ text }) => (text === undefined ? [] : [text]))
  if (more !== '') texts.push(more)
  return { role, text: texts.join('\n'), otherParts: parts.filter(({ text }) => text === undefined).length }
}
