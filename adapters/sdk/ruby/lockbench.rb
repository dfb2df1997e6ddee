# Lockbench's protocol for a lock in Ruby. One file, no dependency.
#
#   require "lockbench"
#
#   class MyLock
#     def initialize(config) ...       # connect; write no key
#     def acquire(n, keys, wait) ...   # seconds; 0: one try; nil: as the library has it
#     def release(n) ...
#     def extend(n) ...                # if the lock can; may return { valid_until: ns }
#     def acquire_shared(n, keys, wait) ...  # of a lock that declares a shared mode
#   end
#
#   Lockbench.run("my-library" => "1.2.3") { |config| MyLock.new(config) }
#
# acquire returns a Hash such as { valid_until: ns, token: 7 }, with the time of Lockbench.now, or
# anything else, or raises Refused. release and extend raise NotOwner if the library says that the
# hold was over. Any other exception means that the outcome is unknown. n names an acquisition; with
# a re-entrant lock n=2 is acquired while n=1 is held. Orders are carried out one after another by
# an owner thread: one that is kept, or with the option {"owner": "new-thread"} a new one whenever
# nothing is held. If the client gives up a call, Cancelled is raised in that thread where it
# waits, as by Timeout. An acquire that ends so is taken to hold nothing.
require "json"

module Lockbench
  PROTOCOL = 1
  TICK = 10_000_000 # ns: the ticker's period,
  LATE = 20_000_000 # and how late it is a gap

  # The lock was not acquired, for sure. why: taken (the library said so after replies that left no
  # doubt), gave-up (it waited in vain), unreachable, server-refused.
  class Refused < StandardError; end

  # The client gave up the call.
  class Cancelled < Exception; end

  # The library told its holder that the hold was over before.
  class NotOwner < StandardError; end

  # The config order; what is absent is nil: the library's own default.
  Config = Struct.new(:client, :seed, :redis, :servers, :sentinels, :master, :keys, :ttl_ms,
                      :poll_ms, :client_timeout_ms, :client_retries, :options, keyword_init: true)

  class << self
    # Speaks the protocol until stdin ends. The block makes the lock; versions are reported.
    def run(versions, &make)
      carry_out(versions, &make)
      exit!(0) # the harness is gone: an acquire under way ends, too
    rescue StandardError, ScriptError => e
      say("broken", err: text(e))
      exit!(1)
    end

    # Says unasked that the library told its holder that hold n is over, and how: callback, ...
    def lost(n, by)
      say("lost", n: n, t: now, by: by)
    end

    # CLOCK_MONOTONIC in nanoseconds.
    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
    end

    def say(is, **fields)
      @mutex.synchronize { @out.write(JSON.generate({ is: is, **fields }) << "\n") }
    rescue SystemCallError
      exit!(0)
    end

    def text(e)
      "#{e.class}: #{e.message}".dup.force_encoding("UTF-8").scrub[0, 300]
    end

    private

    def carry_out(versions)
      config = config(JSON.parse($stdin.gets || exit!(0)))
      lock = yield config
      owner = Owner.new(lock, config.options["owner"] == "new-thread")
      say("ready", pid: Process.pid, versions: { **versions, "ruby" => RUBY_VERSION })
      Thread.new { watch } unless ENV["LOCKBENCH_PAGE"] # virtual time has no gaps
      $stdin.each_line do |line|
        order = JSON.parse(line)
        case order["do"]
        when "touch" then say("touched", n: order["n"], t: now)
        when "stop" then lock.stop if lock.respond_to?(:stop)
        when "cancel" then owner.cancel(order["n"])
        when "acquire", "release", "extend" then owner.give(order)
        else say("unsupported", op: order["do"])
        end
      end
    end

    def config(given)
      unless given["protocol"] == PROTOCOL
        raise ArgumentError, "this adapter speaks protocol #{PROTOCOL}, not #{given["protocol"]}"
      end
      given = given.transform_keys(&:to_sym).slice(*Config.members)
      Config.new(redis: [], options: {}, **given)
    end

    # Reports when the process did not run.
    def watch
      last = now
      loop do
        sleep(TICK / 1e9)
        t = now
        say("gap", t: t, ns: t - last - TICK) if t - last - TICK > LATE
        last = t
      end
    end
  end

  # The thread that acquires and releases.
  class Owner
    def initialize(lock, new_threads)
      @lock, @new_threads, @orders, @holds = lock, new_threads, nil, {}
      @guard, @calling = Mutex.new, nil
    end

    def cancel(n)
      @guard.synchronize { @calling[1].raise(Cancelled) if @calling && @calling[0] == n }
    end

    # Holds are counted when orders are given, so that an inner acquisition meets its owner.
    def give(order)
      if @orders.nil? || (@new_threads && @holds.empty?)
        @orders&.push(nil)
        @orders = Queue.new
        Thread.new(@orders) { |orders| work(orders) }
      end
      @holds[order["n"]] = true if order["do"] == "acquire"
      @orders.push(order)
    end

    private

    def work(orders)
      while (order = orders.pop)
        op, n = order.values_at("do", "n")
        Lockbench.say("begun", n: n, op: op, t: Lockbench.now)
        answer = carry_out(op, n, order)
        @holds.delete(n) unless op == "extend" || answer[:is] == "acquired"
        Lockbench.say(answer.delete(:is), n: n, t: Lockbench.now, **answer)
      end
    end

    # A client that gives up a call that has ended is not heard.
    def carry_out(op, n, order)
      answer = nil
      begin
        Thread.handle_interrupt(Cancelled => :never) do
          @guard.synchronize { @calling = [n, Thread.current] }
          answer = Thread.handle_interrupt(Cancelled => :on_blocking) { call(op, n, order) }
        ensure
          @guard.synchronize { @calling = nil }
        end
      rescue Cancelled => e
        answer ||= op == "acquire" ? { is: "refused", why: "cancelled" } :
                                     { is: "failed", err: Lockbench.text(e) }
      end
      answer
    end

    def call(op, n, order)
      method = op == "acquire" && order["mode"] == "shared" ? "acquire_shared" : op
      # an Object has a method extend of its own
      return { is: "failed", err: "this lock has no #{method}" } unless own?(method)
      ended = op == "release" ? "released" : "extended"
      return { is: ended, **grant(@lock.send(op, n)) } if op != "acquire"
      wait = order["wait_ms"]
      { is: "acquired", **grant(@lock.send(method, n, order["keys"], wait && wait / 1000.0)) }
    rescue Refused => e
      { is: "refused", why: e.message }
    rescue NotOwner => e
      { is: "not_owner", err: e.message[0, 300] }
    rescue StandardError, ScriptError => e
      { is: "failed", err: Lockbench.text(e) }
    end

    def own?(call)
      @lock.respond_to?(call) && @lock.method(call).owner != Kernel
    end

    def grant(said)
      said.is_a?(Hash) ? said : {}
    end
  end

  # Only answers go to stdout: what a library prints goes to stderr.
  @out, @mutex = $stdout.dup, Mutex.new
  @out.sync = true
  $stdout.reopen($stderr)
end
