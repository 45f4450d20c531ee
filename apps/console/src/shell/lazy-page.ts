import { lazyRouteComponent } from '@tanstack/react-router'
import { loadCode } from '../ui/state/reachability.ts'

/**
 * A page whose code is loaded when it is first opened. The router reloads the window if that fails, so the failure waits
 * until the gateway answers: else the window would show an error page of the browser.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(() => loadCode(load), name)
