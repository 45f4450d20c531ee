import { notFound } from '@tanstack/react-router'
import { loadCode } from '../../ui/state/reachability.ts'
import { guideNames } from './guide-list.ts'
import type { Guide } from './guide-parts.ts'

const modules = import.meta.glob<Guide>(
  ['../../../../../docs/*.md', './reference.md', '!**/licences.md', '!**/mutation.md'],
  { import: 'guide' },
)

/**
 * Loads a published guide.
 *
 * @throws NotFoundError of the router for another name
 */
export async function loadGuide(name: string): Promise<Guide> {
  const path = Object.keys(modules).find(each => each.endsWith(`/${name}.md`))
  const load = path === undefined || !guideNames.includes(name) ? undefined : modules[path]
  if (load === undefined) throw notFound()
  return loadCode(load)
}
