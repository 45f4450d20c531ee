import { readText } from '../../ui/state/search.ts'

/** Categories of topics. */
export const categories = ['general', 'providers', 'agents', 'announcements'] as const
/** Categories in which everybody may open topics. */
export const openCategories = ['general', 'providers', 'agents'] as const
export type Category = (typeof categories)[number]

const SORTS = ['latest', 'top'] as const
export type ForumSort = (typeof SORTS)[number]

/** Search parameters of the list. */
export type ForumSearch = {
  readonly q?: string
  readonly category?: Category
  readonly sort?: ForumSort
  readonly page?: number
}

/** Parses search parameters; invalid values are ignored. */
export function readForumSearch({ category, sort, page, ...given }: Record<string, unknown>): ForumSearch {
  const q = readText(given.q)
  return {
    ...(q !== undefined && { q }),
    ...(categories.includes(category as Category) && { category: category as Category }),
    ...(SORTS.includes(sort as ForumSort) && { sort: sort as ForumSort }),
    ...(typeof page === 'number' && Number.isSafeInteger(page) && page > 1 && { page }),
  }
}

/** Returns the label of a category. */
export function nameOf(category: string): string {
  return category.charAt(0).toUpperCase() + category.slice(1)
}
