import { expect, test } from 'vitest'
import { nearMissOf } from './near-miss.ts'

const SERVED = new Set([
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/models',
  '/api/v1/services',
  '/api/v1/agent/invoke',
  '/marketplace/registry.json',
  '/mcp',
])
const meant = (path: string) => nearMissOf(path, at => SERVED.has(at), 'https://farebox.example')

test.each([
  ['/v1/v1/chat/completions', '/v1/chat/completions', 'https://farebox.example/v1'],
  ['/api/v1/v1/chat/completions', '/v1/chat/completions', 'https://farebox.example/v1'],
  ['/api/v1/chat/completions', '/v1/chat/completions', 'https://farebox.example/v1'],
  ['/chat/completions', '/v1/chat/completions', 'https://farebox.example/v1'],
  ['/openai/v1/models', '/v1/models', 'https://farebox.example/v1'],
  ['/v1/v1/messages', '/v1/messages', 'https://farebox.example'],
  ['/v1/chat/completions/chat/completions', '/v1/chat/completions', 'https://farebox.example/v1'],
  ['/v1/chat/completions/models', '/v1/models', 'https://farebox.example/v1'],
  ['/v1/messages/v1/messages', '/v1/messages', 'https://farebox.example'],
  ['/messages', '/v1/messages', 'https://farebox.example'],
  ['/v1/services', '/api/v1/services', 'https://farebox.example/api/v1'],
  ['/api/services', '/api/v1/services', 'https://farebox.example/api/v1'],
  ['/api/v1/api/v1/agent/invoke', '/api/v1/agent/invoke', 'https://farebox.example'],
  ['/v1/api/v1/services', '/api/v1/services', 'https://farebox.example'],
  ['/api/v1/marketplace/registry.json', '/marketplace/registry.json', 'https://farebox.example'],
])('suggests for %s the path %s and base URL %s', (path, served, baseUrl) => {
  expect(meant(path)).toEqual({ path: served, baseUrl })
})

test.each([
  '/',
  '/v1',
  '/api/v1',
  '/v1/nothing',
  '/v1/messages/batches',
  '/v1/messages/mcp',
  '/api/v1/services/svc_1/nothing',
  '//',
])('suggests nothing for %s', path => {
  expect(meant(path)).toBeNull()
})
