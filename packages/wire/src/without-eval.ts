import { z } from 'zod'

// For pages whose content security policy forbids eval, which zod uses to speed up schemas. Import before any schema.
z.config({ jitless: true })
