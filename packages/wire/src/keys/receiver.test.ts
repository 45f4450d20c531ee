import { expect, test } from 'vitest'
import { receiverOf } from './receiver.ts'

test.each([
  ['https://client.example:8443/callback?tenant=1', 'client.example:8443'],
  ['http://127.0.0.1:33418/callback', '127.0.0.1:33418'],
  ['cursor://anysphere.cursor-mcp/oauth/callback?code=1', 'cursor://anysphere.cursor-mcp'],
  ['com.example.client:/callback', 'com.example.client:'],
])('%s leads to %s', (redirectUri, receiver) => {
  expect(receiverOf(redirectUri)).toBe(receiver)
})
