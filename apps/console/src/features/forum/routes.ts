import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'
import { only } from '../../ui/state/search.ts'
import { readForumSearch } from './forum-search.ts'

/** The lazily loaded pages of this feature. */
export const forumRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forum',
    validateSearch: only(readForumSearch),
    component: lazyPage(() => import('./forum-page.tsx'), 'ForumPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forum/$id',
    component: lazyPage(() => import('./topic-page.tsx'), 'TopicPage'),
  }),
] as const
