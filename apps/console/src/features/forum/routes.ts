import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { rootRoute } from '../../shell/root.tsx'
import { readForumSearch } from './forum-search.ts'

/** Pages of this feature, each loaded when it is opened. */
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
