import { fold } from './folding-rules.ts'
import {
  findSecrets,
  findSeedPhrases,
  markOf,
  type Secret,
  type SeedWords,
  TEXT_END,
} from './secret-rules.ts'

/** A value with secrets removed; `isRedacted` is true if there were any. */
export type Redacted<Value> = { readonly value: Value; readonly isRedacted: boolean }

/** JSON as it is stored. */
export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

/** Members whose names mark their value as a secret. */
const NAMES_SECRET =
  /pass(?:word|wd|phrase)|^pwd$|secret|mnemonic|^seed|seed_?phrase|private_?key|api_?key|authorization|cookie|(?:^|[a-z_-])token$/i
const BETWEEN_TEXTS = `\n${TEXT_END}\n`
const AFTER_NAME = ': '

/** Replaces secrets in a text by `[redacted:kind]`. */
export function redactText(text: string, words: SeedWords): Redacted<string> {
  const secrets = findSecrets(text, words)
  return { value: cut(text, secrets), isRedacted: secrets.length > 0 }
}

/**
 * Replaces secrets in JSON, at every depth, including member names. Reads it as one text, so that it finds secrets that
 * span several values, and uses member names as context.
 */
export function redactJson(input: unknown, words: SeedWords): Redacted<Json> {
  const leaves: Leaf[] = []
  gather(input, { leaves, isSecret: false })
  const inAll = spread(leaves, findSecrets(join(leaves), words))
  // Words of a phrase may be spread over the values of several members, whose names would separate them.
  const values = leaves.filter(({ role }) => role !== 'name')
  const inValues = spread(values, findSeedsAmong(values, words))
  const redacted = new Map<Leaf, string>()
  for (const leaf of leaves) {
    const { text, role } = leaf
    const whole: Secret[] =
      role === 'secret' && text !== '' ? [{ kind: 'credential', start: 0, end: text.length }] : []
    const secrets = [...whole, ...(inAll.get(leaf) ?? []), ...(inValues.get(leaf) ?? [])]
    if (secrets.length > 0) redacted.set(leaf, cut(text, secrets))
  }
  const next = leaves.values()
  return { value: rebuild(input, next, redacted), isRedacted: redacted.size > 0 }
}

/** A text within JSON: a name, a value, or a value whose name marks it as a secret. */
type Leaf = { readonly role: 'name' | 'value' | 'secret'; readonly text: string }

/** Collects names and values in order. The schema bounds the depth. */
function gather(value: unknown, to: { leaves: Leaf[]; isSecret: boolean }): void {
  const { leaves, isSecret } = to
  if (typeof value === 'string' || typeof value === 'number') {
    leaves.push({ role: isSecret ? 'secret' : 'value', text: clean(String(value)) })
  } else if (Array.isArray(value)) {
    for (const item of value) gather(item, to)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      leaves.push({ role: 'name', text: clean(name) })
      gather(member, { leaves, isSecret: isSecret || NAMES_SECRET.test(fold(name).text) })
    }
  }
}

/** Rebuilds the value in the order of {@link gather}. */
function rebuild(value: unknown, leaves: Iterator<Leaf>, redacted: ReadonlyMap<Leaf, string>): Json {
  const next = (): { text: string; isCut: boolean } => {
    const { value: leaf } = leaves.next() as { value: Leaf }
    const text = redacted.get(leaf)
    return { text: text ?? leaf.text, isCut: text !== undefined }
  }
  if (typeof value === 'string') return next().text
  if (typeof value === 'number') {
    const { text, isCut } = next()
    return isCut ? text : value
  }
  if (Array.isArray(value)) return value.map(item => rebuild(item, leaves, redacted))
  if (typeof value === 'object' && value !== null) {
    const members = new Map<string, Json>()
    const counts = new Map<string, number>()
    for (const member of Object.values(value)) {
      const { text } = next()
      members.set(unused(text, members, counts), rebuild(member, leaves, redacted))
    }
    return Object.fromEntries(members)
  }
  return typeof value === 'boolean' ? value : null
}

/**
 * Makes a name unique, as redaction can make two names equal.
 *
 * @param counts highest number in use by name, so that many equal names take linear time
 */
function unused(name: string, members: ReadonlyMap<string, Json>, counts: Map<string, number>): string {
  if (!members.has(name)) return name
  let number = (counts.get(name) ?? 1) + 1
  while (members.has(`${name} (${number})`)) number += 1
  counts.set(name, number)
  return `${name} (${number})`
}

/** Removes NUL and unpaired surrogates, which the database cannot store. */
function clean(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '')
}

const separatorAfter = ({ role }: Leaf): string => (role === 'name' ? AFTER_NAME : BETWEEN_TEXTS)

function join(leaves: readonly Leaf[]): string {
  return leaves.map(leaf => leaf.text + separatorAfter(leaf)).join('')
}

/** Returns seed phrases as ranges of {@link join}. */
function findSeedsAmong(leaves: readonly Leaf[], words: SeedWords): Secret[] {
  const folded = fold(join(leaves))
  return findSeedPhrases(folded.text, words).map(({ kind, start, end }) => ({
    kind,
    ...folded.sourceOf({ start, end }),
  }))
}

/** Splits ranges of the joined text among the texts that they touch. */
function spread(leaves: readonly Leaf[], secrets: readonly Secret[]): Map<Leaf, Secret[]> {
  const dealt = new Map<Leaf, Secret[]>()
  const merged = merge(secrets)
  let [at, first] = [0, 0]
  for (const leaf of leaves) {
    const end = at + leaf.text.length
    while ((merged[first]?.end ?? Number.POSITIVE_INFINITY) <= at) first += 1
    const own: Secret[] = []
    for (let index = first; (merged[index]?.start ?? end) < end; index += 1) {
      const secret = merged[index]
      if (secret === undefined) break
      const { kind } = secret
      own.push({
        kind,
        start: Math.max(0, secret.start - at),
        end: Math.min(leaf.text.length, secret.end - at),
      })
    }
    dealt.set(leaf, own)
    at = end + separatorAfter(leaf).length
  }
  return dealt
}

/** Sorts secrets and merges overlapping ones. */
function merge(secrets: readonly Secret[]): Secret[] {
  const merged: Secret[] = []
  for (const secret of secrets.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last === undefined || secret.start >= last.end) merged.push(secret)
    else merged[merged.length - 1] = { ...last, end: Math.max(last.end, secret.end) }
  }
  return merged
}

function cut(text: string, secrets: readonly Secret[]): string {
  const parts: string[] = []
  let at = 0
  for (const { kind, start, end } of merge(secrets)) {
    parts.push(text.slice(at, start), markOf(kind))
    at = end
  }
  parts.push(text.slice(at))
  return parts.join('')
}
