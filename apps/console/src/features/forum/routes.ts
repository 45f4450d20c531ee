import { createRoute } from '@tanstack/react-router'
import { lazyPage } from '../../shell/lazy-page.ts'
import { rootRoute } from '../../shell/root.tsx'
import { readForumSearch } from './forum-search.ts'

/** The lazily loaded pages of this feature. */
export const forumRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forum',
    validateSearch: readForumSearch,
    component: lazyPage(() => import('./forum-page.tsx'), 'ForumPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forum/$id',
    component: lazyPage(() => import('./topic-page.tsx'), 'TopicPage'),
  }),
] as const
