import { isObject } from '@farebox/wire/common'
import { registerServiceBody } from '@farebox/wire/manifest'
import { type Members, textOf } from './document-rules.ts'

const NAME_LENGTH_MAX = 80
const SUMMARY_LENGTH_MAX = 1_000
const DESCRIPTION_LENGTH_MAX = 10_000
const TOOL_NAME_LENGTH_MAX = 64
const TAGS_MAX = 5
const TAG_LENGTH_MAX = 40

const { shape } = registerServiceBody

/** Returns the names, texts and tags of an operation, as a manifest takes them. */
export function namesOf(
  { info }: Members,
  { id, method, path, node }: { id: string; method: string; path: string; node: Members },
) {
  const title = textOf(isObject(info) ? info.title : '', NAME_LENGTH_MAX)
  const summary = textOf(node.summary, SUMMARY_LENGTH_MAX)
  const description = textOf(node.description, DESCRIPTION_LENGTH_MAX)
  const operationId = textOf(node.operationId, NAME_LENGTH_MAX)
  const what = summary === '' ? operationId || id : summary
  const tags = (Array.isArray(node.tags) ? node.tags : [])
    .map(tag => textOf(tag, TAG_LENGTH_MAX))
    .filter(tag => tag !== '')
  return {
    serviceName: serviceNameOf([`${title}: ${what}`, what, `${method} ${path}`]),
    agentToolName: toolNameOf(`${title} ${operationId || `${method} ${path}`}`),
    summary: summary || description.slice(0, 300) || id.slice(0, SUMMARY_LENGTH_MAX),
    ...(description !== '' && { description }),
    ...(tags.length > 0 && { tags: [...new Set(tags)].slice(0, TAGS_MAX) }),
  }
}

/** Returns the first candidate that people may be shown. */
function serviceNameOf(candidates: readonly string[]): string {
  const clean = candidates.map(text =>
    text.normalize('NFC').replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH_MAX).trim(),
  )
  const plain = clean.map(text => text.replaceAll(/[^\x20-\x7e]/g, '').trim())
  return [...clean, ...plain].find(text => shape.serviceName.safeParse(text).success) ?? 'Service'
}

/** `Pet Store` and `listPets` are `pet-store-list-pets`. */
function toolNameOf(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, TOOL_NAME_LENGTH_MAX)
    .replaceAll(/^-+|-+$/g, '')
  return /^[a-z]/.test(slug) ? slug : `api-${slug}`.slice(0, TOOL_NAME_LENGTH_MAX).replace(/-$/, '')
}
