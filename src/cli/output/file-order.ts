import { printable } from '../../errors/text.js'
import type { RecordingHeader, Row } from '../../recording/format/row.js'
import type { OpenableSource } from '../../recording/read/source.js'
import { formatTime } from './format.js'

/** Finds out whether files are replayed in the order of their times. */
export class FileOrder {
  /** Of the first file that starts earlier than its predecessor ended. */
  warning: string | undefined
  private source: OpenableSource | undefined
  private last: { readonly at: number; readonly source: OpenableSource | undefined } | undefined

  /** Reports each opening of the source to this object. */
  observed(source: OpenableSource): OpenableSource {
    return {
      name: source.name,
      open: (closing) => {
        this.source = source
        return source.open(closing)
      },
    }
  }

  /** The time of a header may be unknown: only rows count. */
  onLine({ _tag, at }: Row | RecordingHeader): void {
    if (_tag === 'Recording') return
    const { last, source } = this
    this.last = { at, source }
    if (last === undefined || last.source === source || at >= last.at) return
    this.warning ??= `\
${nameOf(source)} starts at ${formatTime(at)}, before ${nameOf(last.source)} ends at ${formatTime(last.at)}; \
give the files in the order of their times`
  }
}

const nameOf = (source: OpenableSource | undefined): string => printable(source?.name ?? '')
