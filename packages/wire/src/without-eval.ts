import { z } from 'zod'

// For pages whose policy forbids evaluating text, by which zod would speed its schemas up: to be imported before any.
z.config({ jitless: true })
