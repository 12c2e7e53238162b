import type { AnyError } from '../../errors/model.js'
import { renderError } from '../../errors/render.js'
import { printable } from '../../errors/text.js'

/** An error because of which a command or a check fails: its text, and the heading of the guide that explains it. */
export const errorLine = (error: AnyError): string =>
  `${printable(renderError(error))}; see docs/guides/errors.md#${error._tag.toLowerCase()}`
