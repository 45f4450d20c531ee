import fc from 'fast-check'

const SURROGATES_FROM = 0xd800
const SURROGATES = 0x800
const CODE_POINT_MAX = 0x10_ffff

/**
 * Any code point that is no half of a pair, for `fc.string({ unit: codePoint })`. The `binary` unit of fast-check makes a
 * table of all of them first, which takes a second and 100 MB in each worker.
 */
export const codePoint = fc
  .integer({ min: 0, max: CODE_POINT_MAX - SURROGATES })
  .map(n => String.fromCodePoint(n < SURROGATES_FROM ? n : n + SURROGATES))
