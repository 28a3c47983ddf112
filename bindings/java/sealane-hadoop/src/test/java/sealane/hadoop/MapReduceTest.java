package sealane.hadoop;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where MapReduce uses the codec: inputs, outputs, and the outputs of map tasks. */
class MapReduceTest {
    /** The directory of map outputs, for the reducers, which Hadoop creates. */
    private static final String DIRECTORY = "sealane.test.directory";

    private static final String TEXT = "attack at dawn";

    /** The outputs of map tasks that reducers found. */
    private static final List<byte[]> FOUND = Collections.synchronizedList(new ArrayList<>());

    @TempDir
    java.nio.file.Path folder;

    private static String latin(byte[] bytes) {
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Copies the lines, and collects what is on the disk meanwhile. */
    public static final class Copy extends Reducer<LongWritable, Text, Text, NullWritable> {
        @Override
        protected void setup(Context context) throws IOException {
            try (Stream<java.nio.file.Path> files =
                    Files.walk(java.nio.file.Path.of(context.getConfiguration().get(DIRECTORY)))) {
                for (java.nio.file.Path file : (Iterable<java.nio.file.Path>) files::iterator) {
                    String name = file.getFileName().toString();
                    if (name.contains(".out") && !name.endsWith(".crc") && !name.endsWith(".index")) {
                        FOUND.add(Files.readAllBytes(file));
                    }
                }
            }
        }

        @Override
        protected void reduce(LongWritable key, Iterable<Text> lines, Context context)
                throws IOException, InterruptedException {
            for (Text line : lines) {
                context.write(line, NullWritable.get());
            }
        }
    }

    /** The splits that mappers read. */
    private static final List<FileSplit> SPLITS = Collections.synchronizedList(new ArrayList<>());

    /** Emits the words of each line. */
    public static final class Words extends Mapper<LongWritable, Text, Text, IntWritable> {
        @Override
        protected void setup(Context context) {
            SPLITS.add((FileSplit) context.getInputSplit());
        }

        @Override
        protected void map(LongWritable key, Text line, Context context) throws IOException, InterruptedException {
            for (String word : line.toString().split(" ")) {
                context.write(new Text(word), new IntWritable(1));
            }
        }
    }

    /** Returns a configuration for jobs in this process, with directories below {@code folder}. */
    private Configuration local(String name) {
        Configuration conf = new Configuration();
        conf.addResource(Support.configuration());
        conf.set("mapreduce.framework.name", "local");
        conf.set("mapreduce.cluster.local.dir", folder.resolve(name).toString());
        conf.set("hadoop.tmp.dir", folder.resolve("tmp").toString());
        // Milliseconds until a job is seen to have ended.
        conf.setInt(Job.COMPLETION_POLL_INTERVAL_KEY, 50);
        return conf;
    }

    /** Counts the words of a file with two reducers. Returns the paths of their outputs. */
    private List<java.nio.file.Path> countWords(Configuration conf, java.nio.file.Path input, String extension)
            throws Exception {
        Job job = Job.getInstance(conf);
        job.setMapperClass(Words.class);
        job.setReducerClass(IntSumReducer.class);
        job.setNumReduceTasks(2);
        job.setOutputKeyClass(Text.class);
        job.setOutputValueClass(IntWritable.class);
        FileInputFormat.addInputPath(job, new Path(input.toUri()));
        java.nio.file.Path output = folder.resolve("words of " + input.getFileName());
        FileOutputFormat.setOutputPath(job, new Path(output.toUri()));
        SPLITS.clear();
        assertTrue(job.waitForCompletion(false));
        return List.of(output.resolve("part-r-00000" + extension), output.resolve("part-r-00001" + extension));
    }

    @Test
    void encryptedFilesAreInputAndOutput() throws Exception {
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < 60_000; i++) {
            lines.append("line ").append(i).append(i % 3 == 0 ? "\n" : " of " + i % 1000 + "\n");
        }
        byte[] text = lines.toString().getBytes(StandardCharsets.US_ASCII);
        java.nio.file.Path plain = Files.write(folder.resolve("lines.txt"), text);
        java.nio.file.Path sealed = folder.resolve("lines.txt.age");
        Support.seal(sealed, text, false);

        Configuration conf = local("local");
        conf.setLong(FileInputFormat.SPLIT_MAXSIZE, 150_000);
        List<java.nio.file.Path> expected = countWords(conf, plain, "");
        conf.setBoolean("mapreduce.output.fileoutputformat.compress", true);
        conf.setClass("mapreduce.output.fileoutputformat.compress.codec", AgeCodec.class, CompressionCodec.class);
        List<java.nio.file.Path> found = countWords(conf, sealed, ".age");

        // Each mapper reads a part of the file, and the parts are the whole file.
        assertTrue(SPLITS.size() > 5, SPLITS::toString);
        long length = 0;
        for (FileSplit split : SPLITS) {
            assertEquals(new Path(sealed.toUri()), split.getPath());
            assertTrue(split.getLength() < 200_000, SPLITS::toString);
            length += split.getLength();
        }
        assertEquals(Files.size(sealed), length);
        for (int part = 0; part < 2; part++) {
            byte[] counts = Files.readAllBytes(expected.get(part));
            assertTrue(counts.length > 100_000);
            assertTrue(latin(Files.readAllBytes(found.get(part))).startsWith("age-encryption.org/v1\n"));
            assertArrayEquals(counts, Support.open(found.get(part)));
        }
    }

    @Test
    void outputOfMapTasksIsEncrypted() throws Exception {
        int count = 100_000;
        StringBuilder lines = new StringBuilder();
        for (int i = 0; i < count; i++) {
            lines.append(TEXT).append(' ').append(i).append('\n');
        }
        Files.writeString(folder.resolve("lines"), lines);
        // Reducers fetch map outputs to memory, or to the disk if there is no room for them.
        for (String limit : new String[] {"0.25", "0.00001"}) {
            Configuration conf = local("local" + limit);
            conf.set(DIRECTORY, conf.get("mapreduce.cluster.local.dir"));
            conf.setBoolean("mapreduce.map.output.compress", true);
            conf.setClass("mapreduce.map.output.compress.codec", AgeCodec.class, CompressionCodec.class);
            // Several spills, which are merged.
            conf.setInt("mapreduce.task.io.sort.mb", 1);
            conf.set("mapreduce.reduce.shuffle.memory.limit.percent", limit);
            FOUND.clear();
            Job job = Job.getInstance(conf);
            job.setReducerClass(Copy.class);
            job.setNumReduceTasks(2);
            job.setMapOutputKeyClass(LongWritable.class);
            job.setMapOutputValueClass(Text.class);
            FileInputFormat.addInputPath(job, new Path(folder.resolve("lines").toUri()));
            java.nio.file.Path output = folder.resolve("output" + limit);
            FileOutputFormat.setOutputPath(job, new Path(output.toUri()));
            assertTrue(job.waitForCompletion(false));

            List<String> result = new ArrayList<>();
            for (int part = 0; part < 2; part++) {
                result.addAll(Files.readAllLines(output.resolve("part-r-0000" + part)));
            }
            assertEquals(lines.toString().lines().sorted().toList(), result.stream().sorted().toList());
            assertFalse(FOUND.isEmpty());
            for (byte[] file : FOUND) {
                assertTrue(latin(file).contains("age-encryption.org/v1\n"));
                assertFalse(latin(file).contains(TEXT));
            }
        }
    }

    @Test
    void sequenceFilesAreRefused() throws IOException {
        Configuration conf = Support.configuration();
        AgeCodec codec = new AgeCodec();
        codec.setConf(conf);
        for (SequenceFile.CompressionType type :
                List.of(SequenceFile.CompressionType.RECORD, SequenceFile.CompressionType.BLOCK)) {
            java.nio.file.Path file = folder.resolve(type.toString());
            SequenceFile.Writer writer = SequenceFile.createWriter(
                    conf,
                    SequenceFile.Writer.file(new Path(file.toUri())),
                    SequenceFile.Writer.keyClass(Text.class),
                    SequenceFile.Writer.valueClass(Text.class),
                    SequenceFile.Writer.compression(type, codec));
            UnsupportedOperationException e = assertThrows(UnsupportedOperationException.class, () -> {
                writer.append(new Text(TEXT), new Text(TEXT));
                writer.sync();
            });
            assertTrue(e.getMessage().contains("AgeFileSystem"), e.getMessage());
            assertFalse(latin(Files.readAllBytes(file)).contains(TEXT));
        }
    }
}
