// The store: before each statement that writes, before and after each commit, and around what is no statement.
const Database = require('better-sqlite3');
const { pass } = require('./points.cjs');

/** What the open transaction of a database has written. @type {WeakMap<object, Set<string>>} */
const written = new WeakMap();

/** @param {string} sql @param {readonly unknown[]} values */
function nameOf(sql, values) {
  const [, verb = '', table = ''] =
    /^\s*(INSERT|UPDATE|DELETE)(?:\s+OR\s+\w+)?(?:\s+INTO|\s+FROM)?\s+(\w+)/i.exec(sql) ?? [];
  // An event's fourth column is its type.
  if (verb === 'INSERT' && table === 'events') return { table, what: String(values[3]) };
  return { table: `${verb} ${table}`, what: `${verb} ${table}` };
}

/** @param {Set<string>} names events where there are any, for those tell most */
function summary(names) {
  const events = [...names].filter((name) => !name.includes(' '));
  return (events.length > 0 ? events : [...names]).join('+') || 'nothing';
}

/** @param {any} database @param {any} statement @param {string} sql */
function watchStatement(database, statement, sql) {
  for (const method of ['run', 'get', 'all']) {
    const original = statement[method];
    const value = (/** @type {unknown[]} */ ...values) => {
      const { table, what } = nameOf(sql, values);
      const inside = written.get(database);
      pass(`write ${table === 'events' ? `event ${what}` : what}`);
      inside?.add(what);
      const result = original.apply(statement, values);
      if (inside === undefined) pass(`wrote ${what}`);
      return result;
    };
    Object.defineProperty(statement, method, { value });
  }
}

/** @param {any} database @param {any} transaction one way to begin it */
function watchTransaction(database, transaction) {
  return (/** @type {unknown[]} */ ...values) => {
    if (database.inTransaction) return transaction(...values);
    /** @type {Set<string>} */
    const names = new Set();
    written.set(database, names);
    try {
      const result = transaction(...values);
      pass(`committed ${summary(names)}`);
      return result;
    } finally {
      written.delete(database);
    }
  };
}

/** @param {string} sql its beginning, in one line */
function brief(sql) {
  return sql.trim().replace(/\s+/g, ' ').slice(0, 40);
}

function watchStore() {
  const { prepare, transaction, exec, pragma, backup, close } = Database.prototype;
  Object.assign(Database.prototype, {
    /** @this {any} @param {string} sql */
    prepare(sql) {
      const statement = /** @type {any} */ (prepare.call(this, sql));
      if (!statement.readonly) watchStatement(this, statement, sql);
      return statement;
    },
    /** @this {any} @param {(...values: unknown[]) => unknown} work */
    transaction(work) {
      const made = /** @type {any} */ (
        transaction.call(this, (...values) => {
          const result = work(...values);
          pass(`commit ${summary(written.get(this) ?? new Set())}`);
          return result;
        })
      );
      const watched = watchTransaction(this, made);
      for (const way of ['deferred', 'immediate', 'exclusive']) {
        Object.assign(watched, { [way]: watchTransaction(this, made[way]) });
      }
      return watched;
    },
    /** @this {any} @param {string} sql */
    exec(sql) {
      pass(`exec ${brief(sql)}`);
      exec.call(this, sql);
      pass(`executed ${brief(sql)}`);
      return this;
    },
    /** @this {any} @param {string} source @param {any} options */
    pragma(source, options) {
      // Every append sets how durable it is.
      if (source.startsWith('synchronous')) return pragma.call(this, source, options);
      pass(`pragma ${source}`);
      const result = pragma.call(this, source, options);
      pass(`after pragma ${source}`);
      return result;
    },
    /** @this {any} @param {string} path @param {any} options */
    async backup(path, options) {
      pass('backup begins');
      const progress = (/** @type {any} */ at) => {
        pass('backup goes on');
        return options?.progress?.(at);
      };
      const result = await backup.call(this, path, { ...options, progress });
      pass('backup is made');
      return result;
    },
    /** @this {any} */
    close() {
      pass('close the store');
      close.call(this);
      pass('closed the store');
      return this;
    },
  });
}

module.exports = { watchStore };
