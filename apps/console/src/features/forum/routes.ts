import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.tsx'
import { readForumSearch } from './forum-search.ts'

/** The lazily loaded pages of this feature. */
export const forumRoutes = [
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forum',
    validateSearch: readForumSearch,
    component: lazyRouteComponent(() => import('./forum-page.tsx'), 'ForumPage'),
  }),
  createRoute({
    getParentRoute: () => rootRoute,
    path: 'forum/$id',
    component: lazyRouteComponent(() => import('./topic-page.tsx'), 'TopicPage'),
  }),
] as const
