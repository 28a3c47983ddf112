/** Files in the age format. */
module sealane.age {
    requires sealane.jca;

    exports sealane.age;
}
