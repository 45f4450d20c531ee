import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import { eventWithModelName, withModelName } from './model-name-rules.ts'

const NAME = 'our-name'

describe("the model name in a provider's response", () => {
  test.each([
    [
      'a chat completion',
      '{"id":"c","model":"gpt-x","choices":[]}',
      '{"id":"c","model":"our-name","choices":[]}',
    ],
    [
      'an event of the Responses API',
      '{"type":"response.created","response":{"id":"r","model":"gpt-x"}}',
      '{"type":"response.created","response":{"id":"r","model":"our-name"}}',
    ],
    [
      'both',
      '{"response":{"model":"b"},"model":"a"}',
      '{"response":{"model":"our-name"},"model":"our-name"}',
    ],
    ['no text', '{ "model" : null }', '{ "model" : "our-name" }'],
  ])('is replaced by the public name in %s', (_, given, reported) => {
    expect(withModelName(given, NAME)).toBe(reported)
  })

  test.each([
    ['a choice', '{"choices":[{"model":"x","text":"\\"model\\":\\"x\\""}]}'],
    ['nothing', '{"seed":12345678901234567890}'],
    ['what is no JSON', '{"model":"x"'],
    ['an array', '[{"model":"x"}]'],
  ])('is unchanged in %s', (_, given) => {
    expect(withModelName(given, NAME)).toBe(given)
  })

  test('is the only change, whatever surrounds it', () => {
    const around = fc.dictionary(
      fc.string().filter(name => name !== 'response'),
      fc.jsonValue(),
      { maxKeys: 5 },
    )
    fc.assert(
      fc.property(around, fc.string(), (members, model) => {
        const given = JSON.stringify({ ...members, model: 'x' })
        expect(JSON.parse(withModelName(given, model))).toEqual({ ...JSON.parse(given), model })
      }),
    )
  })

  test('is replaced in events with one or more data lines', () => {
    const onOne = {
      raw: Buffer.from('id: 7\ndata: {"model":"x","a":1}\n\n'),
      name: '',
      data: '{"model":"x","a":1}',
    }
    expect(eventWithModelName(onOne, NAME).raw.toString()).toBe('id: 7\ndata: {"model":"our-name","a":1}\n\n')
    const onTwo = {
      raw: Buffer.from('event: e\ndata: {"model":\ndata: "x"}\n\n'),
      name: 'e',
      data: '{"model":\n"x"}',
    }
    expect(eventWithModelName(onTwo, NAME).raw.toString()).toBe(
      'event: e\ndata: {"model":\ndata: "our-name"}\n\n',
    )
    const none = { raw: Buffer.from(': comment\n\n'), name: '', data: '' }
    expect(eventWithModelName(none, NAME)).toBe(none)
  })
})

test('looks for the model one level deep, so that nesting costs no more', () => {
  const nested = (depth: number) => {
    const response = `{"pad":"${'x'.repeat(300_000)}","model":"x"}`
    return `${'{"response":'.repeat(depth)}${response}${'}'.repeat(depth)}`
  }
  expect(withModelName(nested(1), NAME)).toContain(NAME)
  expect(withModelName(nested(2), NAME)).toBe(nested(2))
  const shallow = processorMs(() => withModelName(nested(1), NAME))
  expect(processorMs(() => withModelName(nested(60), NAME))).toBeLessThan(5 * shallow + 10)
})
