/**
 * The query string that the console was opened with. The router rewrites what looks like a number or a boolean, and a
 * `state` must go back to the client as it came.
 */
export const openedWith = typeof location === 'undefined' ? '' : location.search
