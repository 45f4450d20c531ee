import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  export interface ProvidedContext {
    /** The folder in which the workers of this run build the program of the command line. */
    cliBuildFolder: string
  }
}

/** Makes the folder, and removes it at the end of the run: the workers are ended without a chance to do so. */
export async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'farebox-cli-built-'))
  project.provide('cliBuildFolder', folder)
  return () => rm(folder, { recursive: true, force: true })
}
