import { Observable } from 'rxjs'
import { writeError } from '../recording/codec/errors.js'
import { ConfigurationError } from '../../base/errors/configuration-error.js'
import { objectWith } from '../../base/option-kinds/option.js'
import { checkValue } from '../../base/option-kinds/parse-options.js'
import { functionCheck } from '../option-kinds.js'
import type { PaperEvent } from './events.js'
import type { Journal, OpenJournal } from './journal/journal.js'
import { settingsOf, type PaperOptions } from './options.js'
import { PaperRun, type MarketClient, type PaperStrategy } from './run.js'
import { accountRun$, termsOf } from './terms.js'

/** The `paper` of a platform. `openJournal` is undefined where there are no files. */
export const paperOn =
  (openJournal?: OpenJournal) =>
  <C extends MarketClient>(
    client: C,
    strategy$: PaperStrategy<C>,
    options: PaperOptions,
  ): Observable<PaperEvent> => {
    checkValue('client', client, market)
    checkValue('strategy', strategy$, functionCheck('a function (client, account) => Observable of orders'))
    const settings = settingsOf(options)
    const { journal: path } = settings
    if (path !== undefined && openJournal === undefined)
      throw new ConfigurationError('journal', 'a browser has no files; omit the option')
    return accountRun$(
      new Observable((subscriber) => {
        const terms = termsOf(client)
        const warmUp = terms?.warmUp ?? settings.warmUp
        let journal: Journal | undefined
        subscriber.add(() => journal?.close())
        let run: PaperRun
        try {
          if (path !== undefined && terms === undefined) journal = openJournal?.(path)
          run = new PaperRun(subscriber, { ...settings, warmUp }, terms, journal)
        } catch (thrown) {
          subscriber.next(writeError(thrown))
          return subscriber.complete()
        }
        run.start(client, strategy$)
      }),
    )
  }

const market = objectWith(['price$', 'depth$'])
