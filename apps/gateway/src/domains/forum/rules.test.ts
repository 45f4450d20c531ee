import { EXCERPT_LENGTH_MAX } from '@farebox/wire/forum'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { excerptOf, judgeReply, mayOpenTopics, mayRead, shorten } from './rules.ts'

const wallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const anybody = { wallet, isAdmin: false }
const admin = { wallet, isAdmin: true }

describe('boards', () => {
  test.each([
    ['general', { reads: true, opens: true }],
    ['providers', { reads: true, opens: true }],
    ['agents', { reads: true, opens: true }],
    ['announcements', { reads: true, opens: false }],
    ['support', { reads: false, opens: false }],
  ] as const)('%s', (category, { reads, opens }) => {
    expect(mayRead(anybody, category)).toBe(reads)
    expect(mayRead(null, category)).toBe(reads)
    expect(mayOpenTopics(anybody, category)).toBe(opens)
    expect([mayRead(admin, category), mayOpenTopics(admin, category)]).toEqual([true, true])
  })

  test('a topic that the reader may not see is not found, locked or not', () => {
    expect(judgeReply({ category: 'support', locked: true }, anybody)).toBe('TOPIC_NOT_FOUND')
    expect(judgeReply({ category: 'support', locked: false }, admin)).toBeNull()
    expect(judgeReply({ category: 'general', locked: true }, admin)).toBe('TOPIC_LOCKED')
    expect(judgeReply(undefined, admin)).toBe('TOPIC_NOT_FOUND')
  })
})

describe('excerpts', () => {
  test('fit, are well formed and begin like the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 600 }), text => {
        const excerpt = excerptOf(text)
        expect(excerpt.length).toBeLessThanOrEqual(EXCERPT_LENGTH_MAX)
        expect(excerpt.isWellFormed()).toBe(true)
        const line = text.replaceAll(/\s+/g, ' ').trim()
        expect(line.startsWith(excerpt.replace(/…$/, '').trimEnd())).toBe(true)
      }),
    )
  })

  test('a cut is marked, and never splits a character', () => {
    expect(shorten('abcdef', 6)).toBe('abcdef')
    expect(shorten('abcdefg', 6)).toBe('abcde…')
    expect(shorten('abcd😀fg', 6)).toBe('abcd…')
  })
})
