# Installs the archive of a release as a Homebrew formula says, without Homebrew, and runs the
# formula's test:
# ruby formula_test.rb FORMULA ARCHIVES PREFIX intel|arm [EMULATOR…]
#
# The archives are in the folder ARCHIVES instead of at the formula's URL. The class `Formula` below
# has only those methods of Homebrew's that this formula uses, so a misspelled one is an error.

require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

FORMULA, ARCHIVES, PREFIX = ARGV.shift(3).map { |argument| Pathname.new(argument).realpath }
PROCESSOR, *EMULATOR = ARGV

class Pathname
  # Installs files into this folder. A hash maps the name of a file to the name it gets.
  def install(*files)
    mkpath
    files.flatten.each do |file|
      names = file.is_a?(Hash) ? file : { file => File.basename(file) }
      names.each { |from, to| FileUtils.cp(from, self / to, preserve: true) }
    end
  end
end

class Formula
  FOLDERS = {
    prefix: ".", bin: "bin", man1: "share/man/man1", doc: "share/doc/sealane",
    bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d"
  }.freeze
  FOLDERS.each { |name, folder| define_method(name) { PREFIX / folder } }

  class << self
    attr_reader :formula, :values

    def inherited(formula)
      super
      @formula = formula
      formula.instance_variable_set(:@values, {})
    end

    %i[desc version license depends_on url sha256].each do |field|
      define_method(field) do |value|
        raise "#{field} is there twice" if values.key?(field)

        values[field] = value
      end
    end

    def on_linux = yield
    def on_intel = (yield if PROCESSOR == "intel")
    def on_arm = (yield if PROCESSOR == "arm")
    def test(&block) = define_method(:test, &block)
  end

  def testpath = Pathname.pwd

  def system(*command)
    super(*EMULATOR, *command.map(&:to_s), exception: true)
  end

  def shell_output(command)
    output = `#{[*EMULATOR, command].join(" ")}`
    raise "#{command} failed" unless $?.success?

    output
  end

  def assert_equal(expected, found)
    raise "#{found.inspect} instead of #{expected.inspect}" unless expected == found
  end
end

# Returns the path below the prefix for a file of the archive.
def path_of(name)
  case name
  when "sealane" then "bin/sealane"
  when %r{\Aman/man1/} then "share/#{name}"
  when "completions/sealane.bash" then "etc/bash_completion.d/sealane"
  when "completions/_sealane" then "share/zsh/site-functions/_sealane"
  when "completions/sealane.fish" then "share/fish/vendor_completions.d/sealane.fish"
  when /\ALICENSE-/ then name
  else "share/doc/sealane/#{name}"
  end
end

load FORMULA.to_s
values = Formula.formula.values
raise "the formula lacks fields: #{values}" unless values.size == 6

archive = ARCHIVES / File.basename(values[:url])
raise "the checksum is that of another file" unless values[:sha256] == Digest::SHA256.file(archive).hexdigest

formula = Formula.formula.new
Dir.mktmpdir do |folder|
  Dir.chdir(folder) do
    Kernel.system("tar", "-xf", archive.to_s, exception: true)
    Dir.chdir(Dir.children(".").fetch(0)) do
      formula.install
      wanted = Dir.glob("**/*").select { |name| File.file?(name) }.map { |name| path_of(name) }.sort
      found = PREFIX.glob("**/*").select(&:file?).map { |path| path.relative_path_from(PREFIX).to_s }.sort
      raise "not installed: #{wanted - found}; not wanted: #{found - wanted}" unless found == wanted
    end
  end
end
Dir.mktmpdir { |folder| Dir.chdir(folder) { formula.test } }
puts "   #{PREFIX.glob("**/*").count(&:file?)} files are installed, and the formula's test passes"
