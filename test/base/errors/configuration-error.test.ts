import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { ConfigurationError } from '../../../src/base/errors/configuration-error.js'

describe('ConfigurationError', () => {
  const error = new ConfigurationError('linger', 'expected a finite number of at least 0')

  it('is an Error that names the option', () => {
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      _tag: 'ConfigurationError',
      name: 'ConfigurationError',
      option: 'linger',
      message: 'linger: expected a finite number of at least 0',
    })
  })

  it('has a stack, and is printed with its name', () => {
    expect(inspect(error)).toMatch(/ConfigurationError: linger: expected/)
    expect(error.stack).toContain('configuration-error.test')
  })
})
