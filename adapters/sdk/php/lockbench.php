<?php
/**
 * Lockbench's protocol for a lock in PHP 8. One file, no dependency.
 *
 *     require 'lockbench.php'; // php -d include_path={sdk}/php
 *
 *     class MyLock {
 *         function __construct(object $config) {}     // connect; write no key
 *         function acquire(int $n, array $keys, ?float $wait) {}  // seconds; 0: one try;
 *                                                     // null: as the library has it
 *         function release(int $n) {}
 *         function extend(int $n) {}                  // if the lock can
 *         function acquireShared(int $n, array $keys, ?float $wait) {}  // in a shared mode
 *     }
 *
 *     Lockbench\run(fn($config) => new MyLock($config), ['my-library' => '1.2.3']);
 *
 * acquire and extend return null or ['valid_until' => ns, 'token' => 7], with the clock of
 * hrtime(true). acquire throws Refused if surely nothing was acquired; release and extend throw
 * NotOwner if the library says that the hold was over. Anything else that is thrown means that the
 * outcome is unknown. $n names an acquisition; a re-entrant lock acquires 2 while 1 is held.
 *
 * PHP has one thread: a lock cannot be renewed in the background, stop does not end a wait, and the
 * order cancel is not supported.
 */
namespace Lockbench;

const PROTOCOL = 1;
const TICK = 10_000_000, LATE = 20_000_000; // ns: the ticker's period, and how late it is a gap

/** Why: taken (the library said so after replies that left no doubt), gave-up (it waited in vain),
 *  unreachable or server-refused. */
class Refused extends \Exception {}

class NotOwner extends \Exception {}

/** Says unasked that the library told its holder that hold $n is over, and how: callback, ... */
function lost(int $n, string $by): void
{
    say('lost', ['n' => $n, 't' => hrtime(true), 'by' => $by]);
}

/** Speaks the protocol until stdin ends. $make($config) makes the lock; $versions are reported. */
function run(callable $make, array $versions): void
{
    // Only answers go to stdout: what a library prints goes to stderr.
    ini_set('display_errors', 'stderr');
    ob_start(fn(string $printed) => fwrite(STDERR, $printed) ? '' : '', 1);
    try {
        carryOut($make, $versions);
    } catch (\Throwable $e) {
        say('broken', ['err' => text($e)]);
        exit(1);
    }
    exit(0);
}

function carryOut(callable $make, array $versions): void
{
    if (($line = fgets(STDIN)) === false) {
        return;
    }
    $config = config(decode($line));
    if (getenv('LOCKBENCH_PAGE') === false) { // virtual time has no gaps
        $watch = startWatch(); // before the lock connects: a child has all open sockets, too
    }
    $lock = $make($config);
    say('ready', ['pid' => getmypid(), 'versions' => [...$versions, 'php' => PHP_VERSION]]);
    while (($line = fgets(STDIN)) !== false) {
        $order = decode($line);
        match ($order['do']) {
            'touch' => say('touched', ['n' => $order['n'], 't' => hrtime(true)]),
            'stop' => method_exists($lock, 'stop') ? $lock->stop() : null,
            'acquire', 'release', 'extend' => act($lock, $order['do'], $order['n'], $order),
            default => say('unsupported', ['op' => $order['do']]),
        };
    }
}

function act(object $lock, string $op, int $n, array $order): void
{
    say('begun', ['n' => $n, 'op' => $op, 't' => hrtime(true)]);
    [$is, $said] = call($lock, $op, $n, $order);
    say($is, ['n' => $n, 't' => hrtime(true), ...$said]);
}

/** Returns the kind of the answer and its fields. */
function call(object $lock, string $op, int $n, array $order): array
{
    $method = $op === 'acquire' && ($order['mode'] ?? '') === 'shared' ? 'acquireShared' : $op;
    if (!method_exists($lock, $method)) {
        return ['failed', ['err' => "this lock has no $method"]];
    }
    try {
        if ($op !== 'acquire') {
            return [$op . ($op === 'release' ? 'd' : 'ed'), $lock->$op($n) ?? []];
        }
        $wait = isset($order['wait_ms']) ? $order['wait_ms'] / 1000 : null;
        return ['acquired', $lock->$method($n, $order['keys'], $wait) ?? []];
    } catch (Refused $e) {
        return ['refused', ['why' => $e->getMessage()]];
    } catch (NotOwner $e) {
        return ['not_owner', ['err' => substr($e->getMessage(), 0, 300)]];
    } catch (\Throwable $e) {
        return ['failed', ['err' => text($e)]];
    }
}

/** The config order as an object; what is absent is null: the library's own default. */
function config(array $given): object
{
    if ($given['protocol'] !== PROTOCOL) {
        throw new \Exception("this adapter speaks protocol 1, not {$given['protocol']}");
    }
    if (($given['options']['owner'] ?? '') === 'new-thread') {
        throw new \Exception('PHP has one thread: the option owner: new-thread is not possible');
    }
    $absent = array_fill_keys(['servers', 'sentinels', 'master', 'ttl_ms', 'poll_ms',
        'client_timeout_ms', 'client_retries'], null);
    return (object) ($given + ['redis' => [], 'options' => []] + $absent);
}

/** Starts a process that reports when it did not run: this one waits in the calls of its lock. A
 *  fault stops both. It ends with this one, because its input ends. */
function startWatch(): array
{
    $pipes = [];
    $command = [PHP_BINARY, '-n', '-r', 'require $argv[1]; Lockbench\watch();', __FILE__];
    $process = proc_open($command, [['pipe', 'r'], STDOUT, STDERR], $pipes);
    return [$process, $pipes]; // the pipe is open while this is kept
}

function watch(): void
{
    $last = hrtime(true);
    do {
        [$in, $out, $except] = [[STDIN], null, null];
        $ended = stream_select($in, $out, $except, 0, intdiv(TICK, 1000));
        $now = hrtime(true);
        if ($now - $last - TICK > LATE) {
            say('gap', ['t' => $now, 'ns' => $now - $last - TICK]);
        }
        $last = $now;
    } while (!$ended);
}

function say(string $is, array $fields): void
{
    $line = json_encode(['is' => $is, ...$fields], JSON_INVALID_UTF8_SUBSTITUTE);
    if (!@fwrite(STDOUT, "$line\n")) {
        exit(0);
    }
}

function decode(string $line): array
{
    return json_decode($line, true, flags: JSON_THROW_ON_ERROR | JSON_BIGINT_AS_STRING);
}

function text(\Throwable $e): string
{
    return substr(get_class($e) . ': ' . $e->getMessage(), 0, 300);
}
